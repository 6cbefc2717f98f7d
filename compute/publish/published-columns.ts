import type { Table } from '#contract/tables/table.ts'
import { quotedIdentifier } from '#sql/quote.ts'

/** The values of a table that the catalogue decides on, from columns of doubles: a select list. */
export const publishedColumns = ({ columns }: Table): string =>
  Object.entries(columns)
    .filter(([, { unit }]) => unit !== undefined)
    .map(([column, { type }]) => {
      const name = quotedIdentifier(column)
      return type === 'DOUBLE' ? name : `${name}::${type} AS ${name}`
    })
    .join(', ')
