import { date, mixed, text, timestamp } from './column.ts'
import { table } from './table.ts'

/** Each generation has a file of those that it added; the monthly files together have all. */
export const firstPublished = table({
  name: 'first_published',
  rowFor: 'metric and day',
  holds: 'the value that was published first, and when',
  key: ['metric', 'date'],
  columns: {
    date: date('Day of the value, UTC.'),
    metric: text('Id of the metric.'),
    value: mixed('The value that was published first, in the unit of the metric.'),
    generation: text('Id of the generation that published it.'),
    published_at: timestamp('Time of that generation (`created_at`), UTC.'),
  },
})
