import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { checkpointsFolder } from '#compute/data-folder.ts'
import { tables } from '#ingest/market/observations.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { fixture } from '#test/support/fixture.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { computeFolder, ingestFolder, updateFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'

const firstDay = Date.parse('2011-02-02') / 86_400_000

/** By days counted from the first. */
export function somePrices(): Record<number, number> {
  const random = new Random(7)
  return Object.fromEntries(Array.from({ length: 130 }, (_, day) => [day, 0.5 + 9 * random.next()]))
}

/** By hours counted from the first midnight, from the eighth day on. */
function someHours(): Record<number, number> {
  const random = new Random(8)
  const prices = somePrices()
  return Object.fromEntries(
    Array.from({ length: 122 * 24 }, (_, i) => {
      const hour = 8 * 24 + i
      return [hour, (prices[Math.floor(hour / 24)] ?? 0) * (0.9 + 0.2 * random.next())]
    }),
  )
}

const store = (work: Parameters<typeof withSession<unknown>>[1], folder: string): Promise<unknown> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, work)

/** Stores closes by days counted from the first. */
export const storePrices = (
  dataDir: string,
  closes: Readonly<Record<number, number>>,
  others: Partial<Record<'open' | 'high' | 'low', number>> = {},
): Promise<unknown> =>
  store((connection) => {
    const rows = Object.entries(closes).map(([day, close]) => ({
      date: firstDay + Number(day),
      open: close,
      high: close,
      low: close,
      ...others,
      close,
      volume_btc: null,
      volume_usd: null,
    }))
    return appendObservations(connection, dataDir, tables.prices, 'import', rows, Date.now())
  }, dataDir)

/** Stores closes by hours counted from the first midnight. */
export const storeHours = (dataDir: string, closes: Readonly<Record<number, number>>): Promise<unknown> =>
  store((connection) => {
    const rows = Object.entries(closes).map(([hour, close]) => ({
      time: (24 * firstDay + Number(hour)) * 3_600_000,
      open: close,
      high: close,
      low: close,
      close,
      volume_btc: null,
      volume_usd: null,
    }))
    return appendObservations(connection, dataDir, tables.prices_hourly, 'import', rows, Date.now())
  }, dataDir)

export const checkpointsIn = (dataDir: string): string[] => readdirSync(checkpointsFolder(dataDir)).sort()

/** The last day, counted from the first, of each row group of a table that has one row a day. */
export async function readRowGroupEnds(dataDir: string, table: string): Promise<number[]> {
  const rows = await rowsOf(
    `SELECT DISTINCT row_group_id, row_group_num_rows
     FROM parquet_metadata(${publishedTable(dataDir, table)}) ORDER BY row_group_id`,
  )
  let end = -1
  return rows.map(([, count]) => (end += Number(count)))
}

export const both = (days: number[]) => ({ days, metrics: days })

/** A chain that was published with one checkpoint and then with two, and copies of it that grow. */
export class CheckpointedChain {
  readonly folder = temporaryFolder('checkpoints')
  /** Published up to block 290; copy it before changing it. */
  readonly base: string
  #next = 0

  private constructor(base: string) {
    this.base = base
  }

  static async start(): Promise<CheckpointedChain> {
    const folder = await fixture('checkpointed-chain', async (shared) => {
      const dataDir = path.join(shared, 'data')
      await storePrices(dataDir, somePrices())
      await storeHours(dataDir, someHours())
      const chain = makeChain(291)
      for (const height of [190, 290]) {
        const blocks = path.join(shared, 'blocks')
        rmSync(blocks, { recursive: true, force: true })
        await writeChain(blocks, chain, height)
        await updateFolder(dataDir, blocks)
      }
    })
    return new CheckpointedChain(path.join(folder, 'data'))
  }

  stop(): void {
    rmSync(this.folder, { recursive: true })
  }

  newFolder(): string {
    return path.join(this.folder, `data-${this.#next++}`)
  }

  copyOf(made: string): string {
    const dataDir = this.newFolder()
    copyFolder(made, dataDir)
    return dataDir
  }

  copyOfBase(): string {
    return this.copyOf(this.base)
  }

  /**
   * The block files of a chain up to a height, on the trunk or on the branch that leaves it after
   * `fork`.
   */
  async blockFiles(height: number, fork?: number): Promise<string> {
    const blocks = path.join(this.folder, `blocks-${height}-${fork ?? ''}`)
    if (!existsSync(blocks)) await writeChain(blocks, makeChain(height + 1, fork), height)
    return blocks
  }

  /**
   * Updates, and returns the last day of each row group of the tables `days` and `metrics_market`:
   * where it began.
   */
  async update(dataDir: string, blocks: string): Promise<{ days: number[]; metrics: number[] }> {
    await ingestFolder(dataDir, blocks)
    await computeFolder(dataDir, blocks)
    return { days: await readRowGroupEnds(dataDir, 'days'), metrics: await readRowGroupEnds(dataDir, 'metrics_market') }
  }

  /** Publishes the same segments and market data in another folder without checkpoints. */
  async fromGenesis(dataDir: string, blocks: string, choices?: { fine: boolean }): Promise<string> {
    const fresh = this.newFolder()
    cpSync(path.join(dataDir, 'raw'), path.join(fresh, 'raw'), { recursive: true })
    rmSync(checkpointsFolder(fresh), { recursive: true })
    await computeFolder(fresh, blocks, choices)
    return fresh
  }
}
