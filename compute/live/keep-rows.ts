import { mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate, parseDay } from '#base/days.ts'
import { afterBlocks } from '#contract/tables/after-blocks.ts'
import type { Column, Value } from '#contract/tables/column.ts'
import { withColumns } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { digestFile } from '#sql/file-digest.ts'
import { publishFile, removeUnfinished, unfinishedPath } from '#sql/files.ts'
import { publishedFolder } from '#sql/generation.ts'
import { type KeptRows, keptFile, keptFolder, listKeptRows } from '#sql/kept-rows.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { rowCount } from '#sql/parquet-footer.ts'
import { rowsRelation } from '#sql/rows.ts'
import { writeCast } from '#sql/write-table.ts'
import type { MetricDefinition } from '../catalogue/definition.ts'
import { readValue } from '../read-value.ts'
import type { OpenBlockChain } from './open-blocks.ts'
import { maxOpenBlocks, type PublishedBase } from './published-base.ts'

/** Days with rows after every block; older rows are hourly. */
const everyBlockDays = 14
/** Slow readers may still have a replaced file open. */
const replacedRetentionMs = 600_000

export type KeptRow = Readonly<Record<string, Value<Column>>> & { readonly date: string; readonly hash: string }

interface ChainAfterBase extends Pick<OpenBlockChain, 'hashes' | 'days'> {
  readonly base: Pick<PublishedBase, 'lastDay' | 'tip'>
}

/**
 * Keeps the rows of the open day after each block on the chain, one file per day; old days are
 * thinned to hours.
 */
export class RowKeeper {
  readonly #connection: DuckDBConnection
  readonly #published: string
  readonly #folder: string
  /** Published days whose kept rows are known to be on their chain. */
  #checked: ChainAfterBase['base'] | undefined

  constructor(connection: DuckDBConnection, dataDir: string) {
    this.#connection = connection
    this.#published = publishedFolder(dataDir)
    this.#folder = keptFolder(this.#published)
    mkdirSync(this.#folder, { recursive: true })
    removeUnfinished(this.#folder)
  }

  /**
   * Adds or replaces the row after the newest block of the chain, and removes rows of blocks that
   * are not on the chain.
   * @param blocks published table of that name
   */
  async keep(
    row: KeptRow,
    metrics: readonly MetricDefinition[],
    { base, hashes, days: chainDays }: ChainAfterBase,
    blocks: string,
  ): Promise<void> {
    const table = keptTable(metrics)
    const connection = this.#connection
    const onChain = hashes.map((hash) => ({ hash }))
    const kept = rowsRelation('kept_row', table.columns, [row])
    for (const { name, from } of [kept, rowsRelation('chain_hashes', { hash: 'VARCHAR' }, onChain)])
      await connection.run(`CREATE OR REPLACE TEMP TABLE ${name} AS FROM ${from}`)
    const openDay = parseDay(row.date)
    // Rows of published days stay on the chain while those are unchanged.
    const firstUnchecked =
      this.#checked === base ? base.lastDay + 1 : chainDays[Math.max(0, base.tip.height - maxOpenBlocks)]!
    const isOnChain = `hash IN (FROM chain_hashes UNION ALL SELECT hash FROM ${blocks}
      WHERE date >= DATE '${isoDate(firstUnchecked)}' AND height <= ${base.tip.height})`
    const { days, replaced } = listKeptRows(this.#published)
    for (const day of days) {
      const unixDay = parseDay(day.date)
      const isOld = day.detail === 'blocks' && unixDay <= openDay - everyBlockDays
      if (day.date === row.date || (unixDay < firstUnchecked && !isOld)) continue
      const from = await this.#readIntact(day)
      if (from === undefined) continue
      if (
        unixDay >= firstUnchecked &&
        (await readValue(connection, `SELECT 1 FROM ${from} WHERE NOT ${isOnChain} LIMIT 1`)) !== undefined
      )
        await this.#write(table, { ...day, from: `(FROM ${from} WHERE ${isOnChain})` })
      else if (isOld)
        await this.#write(table, {
          detail: 'hours',
          date: day.date,
          from: `(SELECT * FROM ${from} QUALIFY ${isLastOfHour})`,
        })
    }
    const known = days.find(({ date }) => date === row.date)
    const others = known && (await this.#readIntact(known))
    const from = others
      ? `(FROM kept_row UNION ALL BY NAME (FROM ${others} WHERE ${isOnChain} AND hash <> '${row.hash}'))`
      : 'kept_row'
    await this.#write(table, { detail: 'blocks', date: row.date, from })
    this.#checked = base
    for (const one of replaced) {
      if (one.at < Date.now() - replacedRetentionMs) rmSync(path.join(this.#folder, keptFile(one)))
    }
  }

  /**
   * Rows of a day. A damaged file is renamed and gives undefined: copied rows would get a valid
   * checksum.
   */
  async #readIntact(day: KeptRows): Promise<string | undefined> {
    const file = path.join(this.#folder, keptFile(day))
    if ((await digestFile(file)).sha256 === day.sha256) return parquetFiles([file])
    renameSync(file, `${file}.damaged`)
    return undefined
  }

  /**
   * Writes a day's rows by height to a new file, without column notes, which would be nine tenths
   * of it.
   */
  async #write(
    table: Table,
    { detail, date, from }: Pick<KeptRows, 'detail' | 'date'> & { readonly from: string },
  ): Promise<void> {
    const unfinished = unfinishedPath(path.join(this.#folder, `after-${detail}-${date}.parquet`))
    const sorted = `(SELECT * FROM ((FROM kept_row LIMIT 0) UNION ALL BY NAME (FROM ${from})) ORDER BY height)`
    const { metadata } = await writeCast(this.#connection, table, sorted, unfinished)
    const { sha256 } = await digestFile(unfinished)
    const file = keptFile({ detail, date, rows: rowCount(metadata), at: Date.now(), sha256 })
    publishFile(unfinished, path.join(this.#folder, file))
  }
}

const isLastOfHour = 'row_number() OVER (PARTITION BY hour ORDER BY height DESC) = 1'

/**
 * Declares kept rows with a column per metric; metrics of later versions are NULL in earlier rows.
 */
const keptTable = (metrics: readonly MetricDefinition[]): Table => {
  const { columns, ...table } = withColumns(
    afterBlocks,
    metrics.map(({ name, ...metric }) => ({ ...metric, title: name, column: metric.id })),
  )
  const nullable = Object.entries(columns).map(
    ([name, column]) => [name, name in afterBlocks.columns ? column : { ...column, nullable: true }] as const,
  )
  return { ...table, columns: Object.fromEntries(nullable) }
}
