import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import { LRUCache } from 'lru-cache'
import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { mapInTurns, ownTurn, pacedTurns } from '#base/own-turn.ts'
import { shareSuccess } from '#base/shared-promises.ts'
import { dataDamaged } from '#contract/api-error.ts'
import type { Meta } from '#contract/envelope.ts'
import { defaultInterval, type Interval, periodStarts, trailingStarts } from '#contract/intervals.ts'
import { isRecomputed, type MetricAggregate } from '#contract/metric-kinds.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { type ReadColumn, readColumns } from '#sql/columns.ts'
import { describeFileChange, digestFile } from '#sql/file-digest.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { evaluateToDate } from '#sql/formula/periods.ts'
import { type Generation, type OpenGeneration, openToday } from '#sql/generation.ts'
import { type KeptRows, keptFile, keptFolder, listKeptRows } from '#sql/kept-rows.ts'
import { fileList, parquetFiles } from '#sql/parquet.ts'
import { quotedIdentifier, quotedString } from '#sql/quote.ts'
import { Catalogue, type Metric, metricSchema } from './catalogue.ts'
import type { Database } from './database.ts'
import { FileChanged, fileIdentity, isKnownIntact, recordIntact } from './intact-files.ts'
import { countPoolsToDate } from './pool-periods.ts'
import type { Column } from './table/columns.ts'
import { readTable } from './table/read.ts'
import { verifyTables } from './verify.ts'

/** All columns of mainnet would take 170 MB. */
const maxColumnBytes = 64 * 2 ** 20

/** Unknown values, which threads read without a copy. */
export const sharedColumn = (days: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(days * Float64Array.BYTES_PER_ELEMENT)).fill(Number.NaN)

/** Place of a daily metric. */
export type MetricColumn = Pick<Metric, 'table_name' | 'column_name' | 'cohort'>
export interface PeriodicColumn extends MetricColumn {
  readonly aggregate?: MetricAggregate
  readonly formula?: string | null
}

export const placeKey = ({ table_name, column_name, cohort }: MetricColumn): string =>
  `${table_name} ${cohort} ${column_name}`

interface OpenOptions {
  /** Last day of the current generation, if another one. */
  readonly newestDay?: number
  readonly before?: Published | undefined
  readonly onDamage?: ((published: Published) => void) | undefined
  readonly cacheBytes?: number
}

/**
 * A published generation, open for reading. Caches daily values; damaged tables are withdrawn with
 * everything read from them.
 */
export class Published {
  readonly generation: Generation
  readonly database: Database
  readonly catalogue: Catalogue
  /** Unix days of the daily metrics. */
  readonly firstDay: number
  readonly lastDay: number
  /**
   * Last day of the current generation, or of this one if later; tiers' histories count back from
   * it.
   */
  readonly newestDay: number
  /** Source of the values. */
  readonly meta: Pick<Meta, 'as_of_source'> = {}
  readonly #folder: string
  /** By table, cohort and column. */
  readonly #values: LRUCache<string, Promise<Float64Array>>
  /** By query. */
  readonly #answers = new Map<string, Promise<readonly Column[]>>()
  readonly #onDamage: OpenOptions['onDamage']
  #damaged: ReadonlySet<string> = new Set()
  #withdrawals = 0
  #reverifying: Promise<void> | undefined

  protected constructor(
    database: Database,
    { generation, folder }: OpenGeneration,
    catalogue: Catalogue,
    { newestDay = Number.NEGATIVE_INFINITY, onDamage, cacheBytes = maxColumnBytes }: OpenOptions,
  ) {
    this.generation = generation
    this.catalogue = catalogue
    this.firstDay = parseDay(generation.first_date)
    this.lastDay = parseDay(generation.last_date)
    this.newestDay = Math.max(this.lastDay, newestDay)
    const columnBytes = (this.lastDay - this.firstDay + 1) * Float64Array.BYTES_PER_ELEMENT
    this.#values = new LRUCache({ maxSize: cacheBytes, sizeCalculation: () => columnBytes })
    this.database = database
    this.#folder = folder
    this.#onDamage = onDamage
  }

  /**
   * Reuses the catalogue of `before` if equal, as on most nights: reading one takes longer than the
   * rest. Call `verify` for other tables. Throws `data_damaged` without an intact catalogue.
   */
  static async open(database: Database, opened: OpenGeneration, options: OpenOptions = {}): Promise<Published> {
    const { before } = options
    const { generation, folder } = opened
    const { catalogue } = generation.tables
    const catalogueFile = path.join(folder, 'catalogue.parquet')
    if (!catalogue || (await describeFileChange(catalogueFile, catalogue)) !== undefined) throw dataDamaged('catalogue')
    if (before && before.generation.tables.catalogue?.sha256 === catalogue.sha256)
      return new Published(database, opened, before.catalogue, options)
    const file = parquetFiles([catalogueFile])
    // As text, because to read values one by one takes twice the time.
    const [texts] = await database.use((connection) =>
      readTable(
        connection,
        `SELECT to_json(metric)::VARCHAR FROM
           (SELECT * REPLACE (first_date::VARCHAR AS first_date, grade::INTEGER AS grade) FROM ${file}) AS metric`,
      ),
    )
    const rows: Iterable<unknown> = texts!.values
    const metrics = await mapInTurns(rows, (text) => metricSchema.parse(JSON.parse(String(text))))
    return new Published(database, opened, new Catalogue(metrics), options)
  }

  has(table: TableName): boolean {
    return this.generation.tables[table] !== undefined
  }

  /** Withdrawn tables. */
  get damaged(): readonly string[] {
    return [...this.#damaged]
  }

  /** Changes when tables are withdrawn or served again. */
  get state(): string {
    return `${this.generation.id} ${this.newestDay} ${this.#withdrawals}`
  }

  /**
   * Withdraws damaged tables; serves intact ones again.
   * @param accepts files that need not be read
   */
  async verify(pauseMs?: number, accepts: (file: string) => boolean = () => false): Promise<void> {
    for (;;) {
      const { state } = this
      const { tables } = this.generation
      const names = tableNames.filter((name) => tables[name] && !accepts(this.#path(name)))
      const generation = { ...this.generation, tables: Object.fromEntries(names.map((name) => [name, tables[name]!])) }
      const identities = names.map((name) => fileIdentity(this.#path(name)))
      const damaged = await verifyTables({ generation, folder: this.#folder }, pauseMs)
      // A table withdrawn meanwhile may have been hashed before it was damaged.
      if (state !== this.state) continue
      for (const [i, name] of names.entries())
        if (!damaged.includes(name)) recordIntact(this.#path(name), identities[i]!)
      return this.withdraw(damaged)
    }
  }

  /** Verifies changed files, once for all requests that failed meanwhile. */
  reverify(): Promise<void> {
    this.#reverifying ??= this.verify(0, isKnownIntact).finally(() => {
      this.#reverifying = undefined
    })
    return this.#reverifying
  }

  /** Withdraws tables with missing files or other sizes. */
  checkSizes(): void {
    const lost = tableNames.filter((name) => this.has(name) && !this.#hasSize(name))
    if (lost.length > 0) this.withdraw([...this.#damaged, ...lost])
  }

  /** Withdraws exactly these tables. */
  withdraw(names: readonly string[]): void {
    const found = new Set(names)
    if (found.size === this.#damaged.size && names.every((name) => this.#damaged.has(name))) return
    this.#damaged = found
    this.#withdrawals++
    this.#values.clear()
    this.#answers.clear()
    if (found.size > 0) this.#onDamage?.(this)
  }

  /** Throws `data_damaged`, `FileChanged`. */
  readonly fileOf = (name: TableName): string => {
    if (!this.#hasSize(name)) this.withdraw([...this.#damaged, name])
    if (this.#damaged.has(name)) throw dataDamaged(name)
    if (this.generation.tables[name] && !isKnownIntact(this.#path(name))) throw new FileChanged(name)
    return this.#path(name)
  }

  #path(name: TableName): string {
    return path.join(this.#folder, `${name}.parquet`)
  }

  #hasSize(name: TableName): boolean {
    return statSync(this.#path(name), { throwIfNoEntry: false })?.size === this.generation.tables[name]?.bytes
  }

  /** SQL for a FROM clause. Throws `data_damaged`. */
  table(name: TableName): string {
    return parquetFiles([this.fileOf(name)])
  }

  /**
   * The table `today` belongs to no generation; undefined if the node was never followed. Throws
   * `data_damaged`.
   */
  get today(): string | undefined {
    const file = openToday(path.dirname(this.#folder))
    if (file === 'damaged') throw dataDamaged('today', 'it is written again after the next block')
    return file && parquetFiles([file])
  }

  /** By date; they belong to no generation. */
  get keptRows(): readonly KeptRows[] {
    return listKeptRows(path.dirname(this.#folder)).days.filter(({ rows }) => rows > 0)
  }

  /** SQL of a list of files, and for a FROM clause. Throws `data_damaged`. */
  async keptTable(days: readonly KeptRows[]): Promise<{ readonly files: string; readonly rows: string }> {
    const folder = keptFolder(path.dirname(this.#folder))
    for (const day of days) {
      const file = path.join(folder, keptFile(day))
      if (isKnownIntact(file)) continue
      const identity = fileIdentity(file)
      const found = await digestFile(file).catch(() => undefined)
      if (found?.sha256 !== day.sha256)
        throw dataDamaged('after_blocks', `remove ${keptFile(day)}, the rows of ${day.date}`)
      recordIntact(file, identity, msPerDay)
    }
    const files = days.map((day) => path.join(folder, keptFile(day)))
    return { files: fileList(files), rows: parquetFiles(files, { byName: true }) }
  }

  query(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Column[]> {
    return this.database.use((connection) => readTable(connection, sql, parameters))
  }

  /**
   * Writes rows to a temporary file, which the caller removes: NULL is empty, an empty text `""`, and
   * DOUBLE has the digits that give the same number again.
   */
  async writeCsv(sql: string): Promise<string> {
    const file = path.join(this.database.temporaryFolder, `table_${randomUUID()}.csv.gz`)
    try {
      await this.database.use((connection) =>
        connection.run(`COPY (${sql}) TO ${quotedString(file)} (FORMAT csv, HEADER)`),
      )
      return file
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
  }

  /** Caches the result, which many requests share. */
  queryOnce(sql: string): Promise<readonly Column[]> {
    return shareSuccess(this.#answers, sql, () => this.query(sql))
  }

  /** For long results: columns of type INTEGER, DATE (unix days) or DOUBLE by name. */
  columns(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, ReadColumn>> {
    return this.database.use((connection) => readColumns(connection, sql, parameters))
  }

  /**
   * Values from `firstDay` to `lastDay`, NaN if unknown, as without a table. Throws `data_damaged`.
   */
  async valuesOf(places: readonly MetricColumn[]): Promise<Float64Array[]> {
    // Not looked up at the end: reading a damaged table clears the cache at once.
    const keys = places.map(placeKey)
    const found = new Map(keys.map((key) => [key, this.#values.get(key)]))
    const missing = [...new Map(places.map((place, i) => [keys[i]!, place]))].filter(([key]) => !found.get(key))
    for (const group of Map.groupBy(missing, ([, { table_name, cohort }]) => `${table_name} ${cohort}`).values()) {
      const columns = this.readColumns(group.map(([, place]) => place))
      for (const [key, { column_name }] of group) {
        const values = columns.then((read) => read.get(column_name)!)
        found.set(key, values)
        this.#values.set(key, values)
      }
      // A failure concerns only current requests; the next one reads again.
      columns.catch(() => {
        for (const [key] of group) this.#values.delete(key)
      })
    }
    return Promise.all(keys.map((key) => found.get(key)!))
  }

  /** As `valuesOf`; recomputed metrics have values of the period so far, or of so many days up to each. */
  async periodValuesOf(places: readonly PeriodicColumn[], interval: Interval | number): Promise<Float64Array[]> {
    if (interval === defaultInterval) return this.valuesOf(places)
    const isPlain = ({ aggregate }: PeriodicColumn) => !isRecomputed(aggregate)
    // In one query.
    const read = places.flatMap((place) => (isPlain(place) ? place : this.#inputsOf(place)))
    const values = new Map((await this.valuesOf(read)).map((column, i) => [placeKey(read[i]!), column]))
    return Promise.all(
      places.map((place) =>
        isPlain(place)
          ? values.get(placeKey(place))!
          : shareSuccess(this.#values, `${placeKey(place)} ${interval}`, () => this.#recompute(place, interval)),
      ),
    )
  }

  #inputsOf({ formula }: PeriodicColumn): Metric[] {
    const ids = formula ? parseFormula(formula).references.keys() : ['blocks_mined']
    return [...ids].flatMap((id) => this.catalogue.find(id) ?? [])
  }

  async #recompute(place: PeriodicColumn, interval: Interval | number): Promise<Float64Array> {
    await ownTurn()
    const inputs = this.#inputsOf(place)
    const [daily, toDate] = await Promise.all([this.valuesOf(inputs), this.periodValuesOf(inputs, interval)])
    const result = sharedColumn(this.lastDay - this.firstDay + 1)
    const starts =
      typeof interval === 'number'
        ? trailingStarts(result.length, interval)
        : periodStarts(this.firstDay, result.length, interval)
    if (place.formula) {
      const find = (id: string) => {
        const i = inputs.findIndex((input) => input.id === id)
        return { ...inputs[i]!, values: daily[i]!, toDate: toDate[i]! }
      }
      result.set(evaluateToDate(parseFormula(place.formula), { find, starts }))
    } else if (this.has('pool_days') && daily[0]) {
      const { day, code, blocks } = await this.columns(
        `SELECT date AS day, dense_rank() OVER (ORDER BY pool)::INTEGER AS code, blocks::INTEGER AS blocks
         FROM ${this.table('pool_days')} ORDER BY date`,
      )
      const row = day!.map((date) => date - this.firstDay)
      result.set(countPoolsToDate(place.column_name, { row, code: code!, blocks: blocks! }, daily[0], starts))
    }
    return result
  }

  /**
   * Measures of cohorts on one day, NaN if unknown. Whole columns of all cohorts would be 110 MB.
   * Throws `data_damaged`.
   */
  async valuesOn(day: number, places: readonly MetricColumn[]): Promise<Float64Array> {
    const found = new Map<string, number>()
    for (const [table_name, group] of Map.groupBy(places, ({ table_name }) => table_name)) {
      const table = tableNames.find((name) => name === table_name)
      if (!table || !this.has(table)) continue
      const names = [...new Set(group.map(({ column_name }) => column_name))].map(quotedIdentifier)
      const sql = `SELECT cohort, ${names.map((name) => `${name}::DOUBLE AS ${name}`).join(', ')} FROM ${this.table(table)}`
      const [cohorts, ...columns] = await this.query(`${sql} WHERE date = $date::DATE`, { date: isoDate(day) })
      for (const { name, kind, values } of columns) {
        if (kind !== 'number') continue
        for (const [row, value] of values.entries())
          found.set(placeKey({ table_name, column_name: name, cohort: String(cohorts?.values[row]) }), value)
      }
    }
    return Float64Array.from(places, (place) => found.get(placeKey(place)) ?? Number.NaN)
  }

  protected async readColumns(places: readonly MetricColumn[]): Promise<Map<string, Float64Array>> {
    const { table_name, cohort } = places[0]!
    const names = [...new Set(places.map(({ column_name }) => column_name))]
    const days = this.lastDay - this.firstDay + 1
    const turn = pacedTurns()
    const values = new Map<string, Float64Array>()
    for (const name of names) {
      values.set(name, sharedColumn(days))
      await turn()
    }
    const table = tableNames.find((name) => name === table_name)
    if (!table || !this.has(table)) return values
    const selected = names.map((name) => `${quotedIdentifier(name)}::DOUBLE AS ${quotedIdentifier(name)}`)
    const where = cohort === null ? '' : 'WHERE cohort = $cohort'
    const { date, ...columns } = await this.database.use((connection) =>
      readColumns(
        connection,
        `SELECT date AS date, ${selected.join(', ')} FROM ${this.table(table)} ${where}`,
        cohort === null ? undefined : { cohort },
      ),
    )
    for (const [name, column] of values) {
      const read = columns[name]!
      for (let row = 0; row < read.length; row++) column[date![row]! - this.firstDay] = read[row]!
      await turn()
    }
    return values
  }
}
