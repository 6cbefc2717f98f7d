import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { dayAt, isoDate, msPerDay } from '#base/days.ts'
import { shareSuccess } from '#base/shared-promises.ts'
import { ApiError, dataDamaged } from '#contract/api-error.ts'
import { defaultInterval } from '#contract/intervals.ts'
import type { CommonParameters } from '#contract/parameters.ts'
import { firstPublished } from '#contract/tables/first-published.ts'
import { listMonthFiles, type MonthFile } from '#sql/first-published.ts'
import type { Generation } from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { verifyChecksum } from '#sql/parquet-checksum.ts'
import { quotedString } from '#sql/quote.ts'
import { fileIdentity, isKnownIntact, recordIntact } from './intact-files.ts'
import { type MetricColumn, Published, placeKey, sharedColumn } from './published.ts'

/** Each may hold a hundred megabytes of values. */
const maxOpen = 2
const openMs = 300_000

/** Newest generation of a month's file up to a time. */
const newestSchema = z.object({ id: z.string(), published_at: z.string(), last_date: z.string() })

const timeLiteral = (milliseconds: number): string =>
  `TIMESTAMP ${quotedString(new Date(milliseconds).toISOString().slice(0, -1))}`

/**
 * Answers for times before the kept generations, for which only first published values are known.
 */
export class FirstPublishedValues {
  readonly #dataDir: string
  readonly #open = new LRUCache<string, Promise<FirstPublished>>({ max: maxOpen, ttl: openMs, ttlAutopurge: true })

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** `asOf` is in ms since 1970. Undefined if nothing was published by then. */
  async at(asOf: number, current: Published): Promise<FirstPublished | undefined> {
    const month = isoDate(dayAt(asOf)).slice(0, 7)
    const files = listMonthFiles(this.#dataDir).filter((one) => !one.isSetAside && one.month <= month)
    for (const one of files.toReversed()) {
      await requireIntact(one)
      const newest = await findNewest(current, one.file, asOf)
      if (!newest) continue
      // Times between two publications have the same answers.
      const create = async () => new FirstPublished(current, newest, files)
      return shareSuccess(this.#open, `${newest.id} ${current.state}`, create)
    }
    return undefined
  }
}

async function requireIntact({ file, month }: MonthFile): Promise<void> {
  if (isKnownIntact(file)) return
  const identity = fileIdentity(file)
  const bytes = await readFile(file).catch(() => undefined)
  if (!bytes || verifyChecksum(bytes) === undefined)
    throw dataDamaged(firstPublished.name, `the operator can restore the file of ${month} from a backup`)
  recordIntact(file, identity, msPerDay)
}

async function findNewest(
  current: Published,
  file: string,
  asOf: number,
): Promise<z.infer<typeof newestSchema> | undefined> {
  const columns = await current.query(
    `SELECT arg_max(generation, published_at) AS id, strftime(max(published_at), '%Y-%m-%dT%H:%M:%S.%gZ') AS published_at,
       max(date)::VARCHAR AS last_date
     FROM ${parquetFiles([file])} WHERE published_at <= ${timeLiteral(asOf)} HAVING count(*) > 0`,
  )
  const row = Object.fromEntries(columns.map(({ name, values }) => [name, values[0]]))
  return row.id === undefined ? undefined : newestSchema.parse(row)
}

/** First published values of metrics, up to a generation no longer kept. Has no tables. */
export class FirstPublished extends Published {
  override readonly meta = { as_of_source: firstPublished.name } as const
  readonly #files: readonly MonthFile[]
  readonly #from: string
  readonly #idByPlace: ReadonlyMap<string, string>

  constructor(current: Published, newest: z.infer<typeof newestSchema>, files: readonly MonthFile[]) {
    const { id, published_at, last_date } = newest
    const generation: Generation = { ...current.generation, id, created_at: published_at, last_date, tables: {} }
    super(current.database, { generation, folder: '' }, current.catalogue, { newestDay: current.newestDay })
    const upTo = `published_at <= ${timeLiteral(Date.parse(published_at))}`
    this.#files = files
    this.#from = `(FROM ${parquetFiles(files.map(({ file }) => file))} WHERE ${upTo})`
    this.#idByPlace = new Map(current.catalogue.metrics.map((metric) => [placeKey(metric), metric.id]))
  }

  override get state(): string {
    return `${firstPublished.name} ${super.state}`
  }

  /** Refuses results that depend on days whose first values may be unknown. */
  requireDays({ interval = defaultInterval, formula }: CommonParameters): void {
    const parameter = formula !== undefined ? 'formula' : interval === defaultInterval ? undefined : 'interval'
    if (parameter === undefined) return
    const message = `${parameter}: the generation of as_of is no longer kept, and of that time only daily values of metrics are known, as they were first published`
    throw new ApiError('invalid_parameter', message, { parameter })
  }

  override has(): boolean {
    throw onlyMetrics()
  }

  override table(): string {
    throw onlyMetrics()
  }

  protected override async readColumns(places: readonly MetricColumn[]): Promise<Map<string, Float64Array>> {
    const days = this.lastDay - this.firstDay + 1
    const columns = places.map((place) => ({
      ...place,
      id: this.#idByPlace.get(placeKey(place)),
      values: sharedColumn(days),
    }))
    const ids = columns.flatMap(({ id }) => (id === undefined ? [] : [quotedString(id)]))
    if (ids.length > 0) {
      for (const file of this.#files) await requireIntact(file)
      const { date, place, value } = await this.columns(
        `SELECT date, list_position([${ids.join(', ')}], metric)::INTEGER AS place, arg_min(value, published_at) AS value
         FROM ${this.#from} WHERE metric IN (${ids.join(', ')}) GROUP BY date, metric`,
      )
      const known = columns.filter(({ id }) => id !== undefined)
      for (let row = 0; row < date!.length; row++) {
        const day = date![row]! - this.firstDay
        if (day >= 0 && day < days) known[place![row]! - 1]!.values[day] = value![row]!
      }
    }
    return new Map(columns.map(({ column_name, values }) => [column_name, values]))
  }
}

const onlyMetrics = (): ApiError =>
  new ApiError(
    'not_found',
    'the generation of as_of is no longer kept: of that time only daily values of metrics are known, as they were first published',
    { parameter: 'as_of' },
  )
