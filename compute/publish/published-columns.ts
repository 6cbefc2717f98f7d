import type { Table } from '#contract/tables/table.ts'
import { quotedIdentifier } from '#sql/quote.ts'

/** The values of a table that the catalogue decides on, from columns of doubles: select list that turns NaN into NULL. */
export const publishedColumns = ({ columns }: Table): string =>
  Object.entries(columns)
    .filter(([, { unit }]) => unit !== undefined)
    .map(([column, { type }]) => {
      const name = quotedIdentifier(column)
      const known = `CASE WHEN isnan(${name}) THEN NULL ELSE ${name} END`
      return type === 'DOUBLE' ? `${known} AS ${name}` : `(${known})::${type} AS ${name}`
    })
    .join(', ')
