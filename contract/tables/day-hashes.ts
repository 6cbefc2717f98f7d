import { date, orNull, text } from './column.ts'
import { table } from './table.ts'

export const dayHashes = table({
  name: 'day_hashes',
  rowFor: 'day',
  holds: 'hashes of its rows of other tables, by which operators compare their history; see docs/verification.md',
  key: ['date'],
  columns: {
    date: date('Day, UTC. Only closed days have a row.'),
    flows: text('SHA-256 of its rows of `flows`, in hexadecimal digits.'),
    blocks: text('The same of `blocks`.'),
    days: text('The same of `days`.'),
    prices: orNull(text('SHA-256 of its close; NULL without one.')),
    metrics: orNull(text('SHA-256 of metrics in USD; NULL without a close.')),
  },
})
