import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { proofFormat } from '#contract/proof.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { digestFile } from '#sql/file-digest.ts'
import { type Generation, openGeneration, publishedFolder, switchToGeneration } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { writeParquet } from '#sql/parquet.ts'
import { rowsRelation } from '#sql/rows.ts'
import { withSession } from '#sql/session.ts'
import { writeColumns } from '#sql/write-columns.ts'

/** 2023-01-01; the 400 days from then on end on 2024-02-04. */
export const firstDay = 19_358
export const days = 400
export const lastDate = '2024-02-04'
export const unknownDays = 10

/** The price on the n-th day is n, but unknown on the first ten; every metric is made from it. */
export const metrics = {
  price: { endpoint: 'prices', grade: 0, value: (n: number) => n },
  volume: { endpoint: 'prices', grade: 0, value: (n: number) => 2 * n },
  secret_price: { endpoint: 'prices', grade: 1, value: (n: number) => 3 * n },
  nupl: { endpoint: 'holder/profit', grade: 1, value: (n: number) => n / 1000 },
  density: { endpoint: 'series', grade: 2, value: (n: number) => 5 * n },
  block_height: { endpoint: 'blockchain', grade: 0, value: (n: number) => 144 * n },
  never: { endpoint: 'futures/oi', grade: 0, value: () => Number.NaN },
} as const

const aliases: Readonly<Record<string, readonly string[]>> = {
  volume: ['Elsewhere: Umsätze', 'traded_volume'],
  block_height: ['Elsewhere: Shared Name', 'price'],
  never: ['Elsewhere: Shared Name'],
}

/** In what one differs from the others. */
interface SmallGeneration extends Partial<Pick<Generation, 'created_at' | 'last_date'>> {
  /** The price on the n-th day. */
  readonly price?: (n: number) => number
}

/**
 * Publishes a generation of a handful of metrics whose values are known by heart, and of two
 * cycles.
 */
export async function publishSmallGeneration(
  dataDir: string,
  id = 'small',
  { price, ...changes }: SmallGeneration = {},
): Promise<void> {
  const folder = path.join(publishedFolder(dataDir), id)
  mkdirSync(folder, { recursive: true })
  const file = (table: string): string => path.join(folder, `${table}.parquet`)
  defaultTables ??= makeTables(metrics.price.value)
  const tables = await (price ? makeTables(price) : defaultTables)
  for (const [table, bytes] of tables) writeFileSync(file(table), bytes)
  writeIntactJson(path.join(folder, 'generation.json'), { ...(await describe(id, file)), ...changes })
  switchToGeneration(dataDir, id)
}

/** Those with the usual prices are made once per worker. */
let defaultTables: Promise<ReadonlyMap<string, Uint8Array>> | undefined

/** The Parquet files of a generation, by table. */
async function makeTables(price: (n: number) => number): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-small-'))
  const file = (table: string): string => path.join(folder, `${table}.parquet`)
  await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
    const day = Int32Array.from({ length: days }, (_, i) => firstDay + i)
    const columns = Object.entries(metrics).map(([name, { value }]) => {
      const valueOn = name === 'price' ? price : value
      const values = Float64Array.from(day, (_, i) => (i < unknownDays ? Number.NaN : valueOn(i)))
      return { name, type: 'DOUBLE', values } as const
    })
    writeColumns(file('metrics_market'), [{ name: 'date', type: 'DATE', values: day }, ...columns], false)
    const catalogue = Object.entries(metrics).map(([name, { endpoint, grade }], row) => ({
      row,
      id: name,
      name,
      short_description: `${name}.`,
      description: `${name}. Made up.`,
      category: endpoint,
      unit: 'ratio',
      dimension: 'ratio',
      kind: name === 'volume' ? 'flow' : 'level',
      aggregate: name === 'volume' ? 'sum' : 'last',
      endpoint,
      field: name,
      grade,
      formula: null,
      variant: null,
      source: null,
      first_date: name === 'never' ? null : '2023-01-11',
      style: 'line',
      scale: 'linear',
      related: [],
      aliases: aliases[name] ?? [],
      active: name !== 'never',
      intervals: ['1d', '1w', '1m', '1y'],
      table_name: 'metrics_market',
      column_name: name,
      cohort: null,
    }))
    const { from } = rowsRelation('catalogue', { row: 'INTEGER', ...tables.catalogue.columns }, catalogue)
    await writeParquet(connection, file('catalogue'), `SELECT * EXCLUDE (row) FROM ${from} ORDER BY row`)
    await writeParquet(
      connection,
      file('cycles'),
      `SELECT cycle, 'halving' AS family, start_date, end_date, duration_days, NULL::INTEGER AS start_height,
         NULL::DOUBLE AS start_price, false AS provisional
       FROM (VALUES (1, DATE '2023-06-01', DATE '2023-12-31', 214), (2, DATE '2024-01-01', NULL, 35))
         AS cycles (cycle, start_date, end_date, duration_days)`,
    )
  })
  const made = ['metrics_market', 'catalogue', 'cycles'].map((table) => [table, readFileSync(file(table))] as const)
  rmSync(folder, { recursive: true })
  return new Map(made)
}

/** Publishes another content of one of its tables; `sql` may select from `before`. */
export async function replaceSmallTable(dataDir: string, table: TableName, sql: string): Promise<void> {
  const folder = path.join(publishedFolder(dataDir), 'small')
  const file = path.join(folder, `${table}.parquet`)
  await withSession({ temporaryFolder: path.join(dataDir, 'temporary') }, async (connection) => {
    await connection.run(`CREATE TABLE before AS FROM '${file}'`)
    await writeParquet(connection, file, sql)
  })
  const { generation } = openGeneration(folder)
  const tables = { ...generation.tables, [table]: { rows: 1, ...(await digestFile(file)) } }
  writeIntactJson(path.join(folder, 'generation.json'), { ...generation, tables })
}

async function describe(id: string, fileOf: (table: string) => string): Promise<Generation> {
  const sizeOf = async (table: string) => ({ rows: 1, ...(await digestFile(fileOf(table))) })
  return {
    format: 1,
    id,
    inputs: '',
    created_at: '2024-02-05T01:00:00Z',
    network: 'regtest',
    genesis_hash: '0'.repeat(64),
    simulated: false,
    source: 'files',
    first_date: '2023-01-01',
    last_date: lastDate,
    tip: {
      height: 57_600,
      hash: 'a'.repeat(64),
      time: '2024-02-05T00:10:00Z',
      work: '1',
      supply_sats: 1,
      utxo_count: 1,
    },
    prices: null,
    audit: { days, blocks: 57_600, unclaimed_sats: 0, unspendable_sats: 0, node: null, milestones: [] },
    proved: { blocks: 57_500, of: 57_600 },
    proved_coins: null,
    proof: { format: proofFormat, network: 'regtest', sha256: '0'.repeat(64), signature: null },
    notes: [],
    attributions: ['Data by One (https://one.example)', 'Data by Two'],
    tables: {
      metrics_market: await sizeOf('metrics_market'),
      catalogue: await sizeOf('catalogue'),
      cycles: await sizeOf('cycles'),
    },
  }
}
