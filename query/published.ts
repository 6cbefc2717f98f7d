import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBValue } from '@duckdb/node-api'
import { parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { shareSuccess } from '#base/shared-promises.ts'
import { type TableName, tableNames } from '#contract/tables/tables.ts'
import { type ReadColumn, readColumns } from '#sql/columns.ts'
import { type Generation, type OpenGeneration, todayLink } from '#sql/generation.ts'
import { quotedIdentifier, quotedString } from '#sql/quote.ts'
import { Catalogue, type Metric } from './catalogue.ts'
import type { Database } from './database.ts'
import type { Column } from './table/columns.ts'
import { readTable } from './table/read.ts'

/** Table, column and cohort of a daily metric. */
export type MetricColumn = Pick<Metric, 'table_name' | 'column_name' | 'cohort'>

const keyOf = ({ table_name, column_name, cohort }: MetricColumn): string => `${table_name} ${cohort} ${column_name}`

/** One published generation, open for reading. It caches the daily values that it reads. */
export class Published {
  readonly generation: Generation
  readonly catalogue: Catalogue
  /** First and last unix day of the daily metrics. */
  readonly firstDay: number
  readonly lastDay: number
  /** Last day of the current generation, or of this one if later: the histories of tiers count back from it. */
  readonly newestDay: number
  readonly #database: Database
  readonly #folder: string
  /** By table, cohort and column. */
  readonly #values = new Map<string, Promise<Float64Array>>()
  /** By query. */
  readonly #answers = new Map<string, Promise<readonly Column[]>>()

  private constructor(
    database: Database,
    { generation, folder }: OpenGeneration,
    catalogue: Catalogue,
    newestDay: number,
  ) {
    this.generation = generation
    this.catalogue = catalogue
    this.firstDay = parseDay(generation.first_date)
    this.lastDay = parseDay(generation.last_date)
    this.newestDay = Math.max(this.lastDay, newestDay)
    this.#database = database
    this.#folder = folder
  }

  /**
   * `newestDay` is the last day of the current generation, if that is another one. The catalogue of `before` is reused
   * if it is the same, as on most nights: reading one takes longer than the rest. Throws `data_not_ready` for a
   * generation without a catalogue.
   */
  static async open(
    database: Database,
    opened: OpenGeneration,
    { newestDay = Number.NEGATIVE_INFINITY, before }: { newestDay?: number; before?: Published | undefined } = {},
  ): Promise<Published> {
    const { generation, folder } = opened
    const { catalogue } = generation.tables
    if (!catalogue) {
      throw new CoinstrataError('data_not_ready', `generation ${generation.id} has no catalogue`, {
        cure: 'run "coinstrata compute" with this version',
      })
    }
    if (before && before.generation.tables.catalogue?.sha256 === catalogue.sha256)
      return new Published(database, opened, before.catalogue, newestDay)
    const file = quotedString(path.join(folder, 'catalogue.parquet'))
    const rows = await database.use(async (connection) => {
      const result = await connection.runAndReadAll(
        `SELECT * REPLACE (first_date::VARCHAR AS first_date, grade::INTEGER AS grade) FROM ${file}`,
      )
      return result.getRowObjectsJson()
    })
    return new Published(database, opened, new Catalogue(rows), newestDay)
  }

  get database(): Database {
    return this.#database
  }

  has(table: TableName): boolean {
    return this.generation.tables[table] !== undefined
  }

  readonly fileOf = (name: TableName): string => path.join(this.#folder, `${name}.parquet`)

  /** A table as SQL for a FROM clause. */
  table(name: TableName): string {
    return quotedString(this.fileOf(name))
  }

  /** The table `today`, which belongs to no generation; undefined if the node was never followed. */
  get today(): string | undefined {
    const link = todayLink(path.dirname(this.#folder))
    // The link may move to another file, but the file itself stays.
    return existsSync(link) ? quotedString(realpathSync(link)) : undefined
  }

  query(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Column[]> {
    return this.#database.use((connection) => readTable(connection, sql, parameters))
  }

  /** Caches the result: for queries that many requests share, such as the list of exchanges. */
  queryOnce(sql: string): Promise<readonly Column[]> {
    return shareSuccess(this.#answers, sql, () => this.query(sql))
  }

  /** For long results of dates and numbers: INTEGER, DATE (unix days) and DOUBLE columns by name. */
  columns(sql: string, parameters?: Record<string, DuckDBValue>): Promise<Record<string, ReadColumn>> {
    return this.#database.use((connection) => readColumns(connection, sql, parameters))
  }

  /** Values of metrics from `firstDay` to `lastDay`, NaN if unknown; a metric without a table is unknown throughout. */
  async valuesOf(places: readonly MetricColumn[]): Promise<Float64Array[]> {
    const missing = places.filter((place) => !this.#values.has(keyOf(place)))
    for (const group of Map.groupBy(missing, ({ table_name, cohort }) => `${table_name} ${cohort}`).values()) {
      const columns = this.#read(group)
      for (const place of group) {
        this.#values.set(
          keyOf(place),
          columns.then((read) => read.get(place.column_name)!),
        )
      }
      // A failure concerns the current requests only; the next one reads again.
      columns.catch(() => {
        for (const place of group) this.#values.delete(keyOf(place))
      })
    }
    return Promise.all(places.map((place) => this.#values.get(keyOf(place))!))
  }

  async #read(places: readonly MetricColumn[]): Promise<Map<string, Float64Array>> {
    const { table_name, cohort } = places[0]!
    const names = [...new Set(places.map(({ column_name }) => column_name))]
    const days = this.lastDay - this.firstDay + 1
    const values = new Map(names.map((name) => [name, new Float64Array(days).fill(Number.NaN)]))
    const table = tableNames.find((name) => name === table_name)
    if (!table || !this.has(table)) return values
    const selected = names.map((name) => `${quotedIdentifier(name)}::DOUBLE AS ${quotedIdentifier(name)}`)
    const where = cohort === null ? '' : 'WHERE cohort = $cohort'
    const { date, ...columns } = await this.#database.use((connection) =>
      readColumns(
        connection,
        `SELECT date AS date, ${selected.join(', ')} FROM ${this.table(table)} ${where}`,
        cohort === null ? undefined : { cohort },
      ),
    )
    for (const [name, column] of values) {
      const read = columns[name]!
      for (let row = 0; row < read.length; row++) column[date![row]! - this.firstDay] = read[row]!
    }
    return values
  }
}
