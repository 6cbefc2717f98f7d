import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { type Aggregate, aggregates } from './metric-kinds.ts'
import 'zod-openapi'
import { z } from 'zod'
import { type ChartInterval, type IntervalName, intervalNames } from './chart-options.ts'
import { cycleFamilies } from './cycle-families.ts'
import { oneOf } from './field-schemas.ts'
import {
  aggregateDescription,
  defaultInterval,
  type Interval,
  intervalCodes,
  intervalDescription,
  intervals,
  type SeriesInterval,
  seriesIntervalCodes,
  seriesIntervals,
} from './intervals.ts'
import { servedCohorts } from './served-cohorts.ts'

/** Parsed to a unix day. */
export const day = z.iso.date({ error: 'must be a real date, written YYYY-MM-DD' }).transform(parseDay)

const wholeNumber = (maximum: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/, `must be a whole number from 1 to ${maximum}, in digits`)
    .transform(Number)
    .refine((number) => number <= maximum, `must be a whole number from 1 to ${maximum}`)

export const rowLimit = 10_000
/** For files from a start date on without `limit`: only distributions have more. */
export const fileRowLimit = 2_000_000
/** /v1/utxo/history has a row for each day of creation. */
export const creationDayLimit = 50_000

interface NumberRange {
  readonly minimum: number
  readonly maximum: number
  readonly default?: number
  readonly example?: number
}

/** Describes a parameter whose text is a number. */
export const asNumber = (type: 'integer' | 'number', range: NumberRange) => ({
  override: ({ jsonSchema }: { readonly jsonSchema: { pattern?: string | undefined } }) => {
    delete jsonSchema.pattern
    Object.assign(jsonSchema, { type, ...range })
  },
})
const integer = (description: string, range: NumberRange) => ({ description, ...asNumber('integer', range) })

const limitMeaning =
  'Maximum number of rows. It has no effect with start_date, which returns all rows from that date on: at most 10,000, in files without limit as many as there are'
const limitUpTo = (maximum: number) =>
  wholeNumber(maximum)
    .default(100)
    .meta(integer(limitMeaning, { minimum: 1, maximum, default: 100 }))

const offset = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a whole number from 0 to 99999, in digits')
  .default('0')
  .transform(Number)
  .meta(integer('Number of rows to skip', { minimum: 0, maximum: 99_999, default: 0 }))
/** From 1 on. */
const countUpTo = (maximum: number, description: string, others: { readonly example?: number } = {}) =>
  wholeNumber(maximum)
    .optional()
    .meta(integer(description, { minimum: 1, maximum, ...others }))
/** Without `limit` a list has all rows. */
const page = { limit: countUpTo(rowLimit, limitMeaning), offset }
/** For lists without dates. */
export const pageQuery = z.strictObject({
  limit: countUpTo(rowLimit, 'Maximum number of rows; without it all'),
  offset,
})

export const formats = ['json', 'csv', 'parquet'] as const
export type Format = (typeof formats)[number]

const format = oneOf(formats)
  .optional()
  .meta({ description: 'Format of the answer; takes precedence over the Accept header' })

const isTime = (text: string): boolean =>
  z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(text).success
/** In ms since 1970; a date means its last millisecond. */
const parseTime = (text: string): number =>
  z.iso.date().safeParse(text).success ? (parseDay(text) + 1) * msPerDay - 1 : Date.parse(text)

const generationId = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'must be the id of a generation, as meta.generation and /v1/status name them')
  .optional()
export const earlierGeneration = generationId.meta({ description: 'Id of the retained generation to compare with' })
export const pointInTime = {
  generation: generationId.meta({
    description: 'Id of a retained generation to read instead of the current one; not together with as_of',
  }),
  as_of: z
    .string()
    .refine(isTime, 'must be a date (YYYY-MM-DD, which means its end) or a time such as 2026-01-31T12:00:00Z')
    .transform(parseTime)
    .optional()
    .meta({
      description:
        'Read the newest retained generation that was published by then (UTC). Before the retained ones, rows of days have the values of metrics that were published first; not together with generation',
      override: ({ jsonSchema }) => {
        delete jsonSchema.type
        jsonSchema.anyOf = [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ]
      },
    }),
}

const maxFields = 500

const fields = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_]{1,100}(,[A-Za-z0-9_]{1,100}){0,${maxFields - 1}}$`),
    `must be all, or 1 to ${maxFields} names of fields with commas between them`,
  )
  .optional()
  .meta({
    description:
      'The fields of the rows, besides the ones that identify a row (such as date): names separated by commas, in that order, or all. Files hold the same fields as JSON.',
    example: 'all',
  })

/** As different languages write it: `true`, `True`, `1`. */
export const booleanText = z
  .string()
  .regex(/^(?:true|True|TRUE|1|false|False|FALSE|0)$/, 'must be true or false')
  .transform((text) => text === '1' || text.toLowerCase() === 'true')
  .default(false)
const strict = booleanText.meta({
  description:
    'true refuses what would be answered in part: fields or days above the tier (403), or more rows than fit where no limit or cursor asks for a page (400)',
})

const bom = booleanText.meta({ description: 'true begins CSV with a byte order mark, which Excel needs for UTF-8' })

const range = {
  limit: limitUpTo(rowLimit),
  start_date: day.optional().meta({ description: 'First date of the rows, YYYY-MM-DD' }),
  end_date: day.optional().meta({ description: 'Last date of the rows, YYYY-MM-DD' }),
  fields,
  ...pointInTime,
  format,
  strict,
  bom,
}

/** For rows of no generation. */
export const liveQuery = z.strictObject({ fields, format, strict, bom })

const eitherForm = z.enum([...intervals, ...intervalNames], {
  error: `must be one of ${intervals.join(', ')}, or ${intervalNames.join(', ')}`,
})
const toName = <Name extends IntervalName>(names: readonly Name[], text: Interval | IntervalName): Name =>
  names.find((name) => name === text || intervalCodes[name] === text)!
export const interval = eitherForm.transform((text) => intervalCodes[toName(intervalNames, text)])
const seriesForm = z.enum(['hour', ...seriesIntervals, ...intervalNames], {
  error: `must be one of ${seriesIntervals.join(', ')}, or hour, ${intervalNames.join(', ')}`,
})
export const chartInterval = seriesForm.transform((text): ChartInterval => {
  if (text === 'block') return text
  return text === 'hour' || text === '1h' ? 'hour' : toName(intervalNames, text)
})
export const seriesInterval = chartInterval.transform((name): SeriesInterval => seriesIntervalCodes[name])
const describedInterval = interval.default(defaultInterval).meta({ description: intervalDescription })
const aggregate = oneOf(aggregates).optional().meta({ description: aggregateDescription })

export const recordQuery = z.strictObject({ fields, ...pointInTime, format, strict, bom })

export const listQuery = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ...shape, ...page, ...recordQuery.shape })

const rangeQuery = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...shape, ...range })
export const datedListQuery = rangeQuery({ offset })

const orders = ['asc', 'desc'] as const
const order = oneOf(orders).optional().meta({
  description:
    'Order of the rows in time: asc begins with the oldest of them, desc with the newest. It changes which rows an answer has only if there are more than fit into one: asc with start_date begins at start_date.',
})

const dateSource = z.core.regexes.date.source.replace(/^\^|\$$/g, '')
const cursor = z
  .string()
  .regex(new RegExp(`^${dateSource}\\.\\d{1,5}$`), 'must be the meta.next_cursor of an answer')
  .transform((text) => ({ day: parseDay(text.slice(0, 10)), skip: Number(text.slice(11)) }))
  .optional()
  .meta({
    description:
      'Continues after the rows of an earlier answer: its meta.next_cursor, with all other parameters unchanged',
    example: '2026-01-31.0',
  })
export const writeCursor = ({ day, skip }: Cursor): string => `${isoDate(day)}.${skip}`

/** For dated rows not paged by date. */
export const orderedQuery = <Shape extends z.ZodRawShape>(shape: Shape, maxRows = rowLimit) =>
  z.strictObject({ ...shape, ...range, limit: limitUpTo(maxRows), offset, order })

export const pagedQuery = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ...shape, ...range, order, cursor })

/** For rows aggregated to longer periods. */
export const dailyQuery = <Shape extends z.ZodRawShape>(shape: Shape) =>
  pagedQuery({ ...shape, interval: describedInterval, aggregate })
export const daily = dailyQuery({})

const text = z.string()
const unixDay = z.number()
/** Parameters of several endpoints, parsed; `as_of` is in ms since 1970. */
export const commonParameters = z
  .object({
    limit: z.number(),
    offset: z.number(),
    start_date: unixDay,
    end_date: unixDay,
    date: unixDay,
    date_processed: unixDay,
    cohort_start: unixDay,
    cohort_end: unixDay,
    /** `skip` rows of the day were already returned. */
    cursor: z.object({ day: unixDay, skip: z.number() }),
    order: z.enum(orders),
    interval: z.enum(seriesIntervals),
    generation: text,
    as_of: z.number(),
    metrics: text,
    metric_id: text,
    formula: text,
    q: text,
  })
  .partial()
export type CommonParameters = z.output<typeof commonParameters>
export type PointInTime = Pick<CommonParameters, 'generation' | 'as_of'>
export type Cursor = NonNullable<CommonParameters['cursor']>

export interface Range extends Pick<CommonParameters, 'start_date' | 'end_date' | 'order' | 'cursor'> {
  readonly limit: number
}

export interface DailyRange extends Range {
  readonly interval?: Interval
  readonly aggregate?: Aggregate | undefined
}

/** Pages ascend from the start date. */
export const isAscending = ({ order, start_date }: Pick<Range, 'order' | 'start_date'>): boolean =>
  order === 'asc' && start_date !== undefined

const one = (name: string) =>
  z.string({ error: 'is missing' }).regex(/^.{1,100}$/, `must be one ${name} of at most 100 characters`)

export const symbol = z
  .string()
  .regex(/^[Bb][Tt][Cc]$/, 'must be BTC')
  .optional()
  .meta({ description: 'Cryptocurrency; only BTC is served' })
export const exchange = one('exchange').meta({ description: 'An exchange of the list endpoint', example: 'binance' })
export const ticker = one('ticker').meta({ description: 'Ticker of /v1/etf/registry', example: 'IBIT' })
export const cohort = z.string().meta({
  description: `Cohort: one of ${servedCohorts.join(', ')}`,
  example: '1y_2y',
  override: { enum: [...servedCohorts] },
})
export const metricId = z.string().meta({ description: 'Id of a metric, as /v1/metrics lists them', example: 'mvrv' })
export const metricIds = z
  .string()
  .regex(/^[ -+\--~]{1,100}(,[ -+\--~]{1,100}){0,49}$/, 'must be 1 to 50 metric ids with commas between them')
  .meta({
    description: 'Metric ids with commas between them, or names that no other metric has',
    example: 'price,realized_price',
  })
/** More than any table has. */
const maxPriceBins = 2000
export const priceBins = countUpTo(
  maxPriceBins,
  'Joins the bins of each day into at most as many; without it each has a row',
  { example: 100 },
)
/** 17 significant digits identify every double. */
export const digits = countUpTo(
  17,
  'Significant digits to which values are rounded, for smaller answers; without it values are exact',
)
export const height = z
  .string()
  .regex(/^\d{1,9}$/, 'must be the height of a block, in digits')
  .transform(Number)
  .optional()
  .meta(integer('Height of a block', { minimum: 0, maximum: 999_999_999 }))
export const entityId = z
  .string({ error: 'is missing' })
  .regex(/^[1-9]\d{0,8}$/, 'must be the whole number that /v1/dat/registry gives as id')
  .transform(Number)
  .meta({ ...integer('Id of /v1/dat/registry', { minimum: 1, maximum: 999_999_999, example: 1 }), example: '1' })
export const periodDays = { day: 1, week: 7, month: 30 } as const
export const period = eitherForm
  .exclude(['year', '1y'])
  .transform((text) => toName(['day', 'week', 'month'], text))
  .default('week')
  .meta({ description: 'Over which changes are measured: 1, 7 or 30 days' })
export const search = z
  .string()
  .regex(/^[\s\S]{1,200}$/, 'must be a search of 1 to 200 characters')
  .optional()
  .meta({ description: 'Words of a question, an id, or a name that a metric has elsewhere', example: 'hashprice' })
export const variants = z.enum(['measures', 'all'], { error: 'must be measures or all' }).default('measures').meta({
  description:
    'all: every metric. measures: without those of single cohorts (named in cohorts of their measure), exchanges, funds and entities. A search always covers every metric',
})
export const withCohorts = booleanText.meta({ description: 'true includes the measures of single cohorts' })
export const activeOnly = booleanText.meta({ description: 'true leaves out metrics that have no values here' })
export const cycleFamily = oneOf(cycleFamilies)
export type DataQuery = z.ZodObject<{
  fields: typeof fields
  format: typeof format
  strict: typeof strict
  bom: typeof bom
}>
