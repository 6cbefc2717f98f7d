import { z } from 'zod'
import { scaleNames } from '../chart-options.ts'
import { endpoint } from '../endpoint.ts'
import { oneOf } from '../field-schemas.ts'
import { formulaLanguage } from '../formula-language.ts'
import { defaultInterval, fineDescription, intervalDescription } from '../intervals.ts'
import {
  dailyQuery,
  day,
  digits,
  earlierGeneration,
  listQuery,
  metricId,
  metricIds,
  pagedQuery,
  priceBins,
  seriesInterval,
} from '../parameters.ts'
import { rows } from '../rows.ts'

export const seriesEndpoints = {
  series: endpoint({
    id: 'series',
    tag: 'Series',
    summary: 'Any metrics, and a formula over them, in one table',
    description:
      'A column per metric, and the column formula. A formula is evaluated over the days that the caller may see, then cut to the dates asked for.',
    query: dailyQuery({
      metrics: metricIds.optional(),
      formula: z
        .string()
        .regex(/^[\s\S]{1,1000}$/, 'must be a formula of 1 to 1000 characters')
        .optional()
        .meta({ description: `Formula over metric ids. ${formulaLanguage}`, example: 'price / sma(price, 200)' }),
      digits,
    }).extend({
      interval: seriesInterval
        .default(defaultInterval)
        .meta({ description: `${fineDescription} ${intervalDescription}` }),
    }),
    row: rows.series,
    key: ['date', 'time'],
  }),
  revisions: endpoint({
    id: 'revisions',
    tag: 'Series',
    summary: 'Values of a metric that changed between two published generations',
    description:
      'A row for each day that both have and on which they differ; new days are not revisions. generation (or as_of) is the later one, by default the current one; from the earlier one, by default the one that was published before it. meta names both.',
    query: pagedQuery({ metric: metricId, from: earlierGeneration }),
    row: rows.revisions,
  }),
  tables: endpoint({
    id: 'tables',
    tag: 'Tables',
    summary: 'The published tables, each with the path of its whole file and the lowest tier that may have it',
    history: { all: 'it lists names and contains no values' },
    query: listQuery({}),
    row: rows.tables,
    more: rows.tableColumns,
    key: ['name'],
  }),
  proof: endpoint({
    id: 'proof',
    tag: 'Tables',
    summary: 'A hash of the rows of each day, by which operators compare their history',
    description:
      'flows, blocks and days are the same for every operator of a chain; prices and metrics depend on the sources of prices. meta.proof describes and signs the list of all days. "coinstrata compare" reads it; docs/verification.md says which bytes are hashed.',
    access: 'anyone',
    history: { all: 'a hash reveals no value' },
    query: pagedQuery({}),
    row: rows.proof,
  }),
  costBasis: endpoint({
    id: 'cost-basis',
    tag: 'Series',
    summary: 'Supply by the price at which it was last moved, after one day, and what was spent on it',
    description:
      'Prices ascend within each day; bins without unspent or spent coins have no row. With start_date, all days from there to end_date are returned; without it, one day: date, else end_date or the newest. limit counts bins. With bins, whole bins are joined into at most as many, of equal width on the scale between the lowest and the highest price of the days asked for: amounts are exact sums, and prices are edges of joined bins.',
    query: pagedQuery({
      date: day.optional().meta({ description: 'The day; not together with start_date and end_date' }),
      bins: priceBins,
      scale: oneOf(scaleNames)
        .optional()
        .meta({ description: 'With bins: log (the default) joins bins of equal ratio, linear bins of equal USD' }),
    }),
    row: rows.costBasis,
    key: ['date', 'bin'],
  }),
} as const
