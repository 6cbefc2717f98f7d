import { date, ordinal, orNull, text, timestamp } from './column.ts'
import { table } from './table.ts'

/** Belongs to no generation. */
export const afterBlocks = table({
  name: 'after_blocks',
  rowFor: 'block after which the open day was computed',
  holds: 'metrics that follow from one day, as if it ended with the block',
  key: ['height'],
  columns: {
    date: date('Day that the block counts to, UTC.'),
    hour: timestamp('Beginning of the hour that the block counts to, UTC: that of the latest header time up to it.'),
    height: ordinal('Height of the block.'),
    hash: text('Its hash.'),
    time: timestamp('Time in its header, UTC.'),
    price_time: orNull(timestamp('Instant of the price, UTC: the end of its hour or day; NULL without a price.')),
    updated_at: timestamp('When the row was computed, UTC.'),
  },
  columnPer: 'metric',
})
