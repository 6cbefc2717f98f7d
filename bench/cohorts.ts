import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { segmentsFolder } from '#compute/data-folder.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { chainFile, type ScannedChain } from '#compute/scan/scanned-chain.ts'
import { partFile, type SegmentTable } from '#compute/scan/segment-parts.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { simulatedPrices } from '#ingest/simulated/prices.ts'
import { streamColumns } from '#sql/columns.ts'
import { currentGeneration } from '#sql/generation.ts'
import { writeParquet } from '#sql/parquet.ts'
import { quotedString } from '#sql/quote.ts'
import { withSession } from '#sql/session.ts'
import { peakMemory, print } from './report.ts'

const days = 6_501
const segments = 32
const tip = { height: days - 1, hash: 'b'.repeat(64) }

/** From flow rows to a published generation, beside only reading the flows table. */
export async function benchCohorts(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'cohorts')
  rmSync(dataDir, { recursive: true, force: true })
  await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
    const scanned = await makeFlows(connection, dataDir)
    const begin = performance.now()
    const generation = await buildGeneration(connection, dataDir, scanned)
    const seconds = (performance.now() - begin) / 1000
    const flows = path.join(currentGeneration(dataDir)!.folder, 'flows.parquet')
    const readBegin = performance.now()
    for await (const _ of streamColumns(
      connection,
      `SELECT date, spent_sats::DOUBLE AS s FROM ${quotedString(flows)}`,
    ));
    const reading = (performance.now() - readBegin) / 1000
    const { rows } = generation.tables.flows!
    console.log(`\ncohorts: ${rows} flow rows, ${days - 1} days, all tables, audit and publication`)
    print({ work: 'only reading the flows table', figure: `${reading.toFixed(2)} s` })
    print({
      work: 'flows to published generation',
      figure: `${seconds.toFixed(1)} s`,
      beside: `${(seconds / reading).toFixed(0)} × reading`,
      aim: '20 s',
    })
    print({ work: '', figure: peakMemory(), aim: '2 GB' })
  })
  rmSync(dataDir, { recursive: true, force: true })
}

/** One block a day that spends a little of about half of all days before it: 10 million rows, in segments as of a scan. */
async function makeFlows(connection: DuckDBConnection, dataDir: string): Promise<ScannedChain> {
  await connection.run(`
    CREATE OR REPLACE TEMP TABLE bench_flows AS
    SELECT DATE '2009-01-03' + d::INTEGER AS date, DATE '2009-01-03' + c::INTEGER AS created_date,
      d AS day, 1000 + (hash(d, c) % 1000)::BIGINT AS sats
    FROM range(${days}) AS t(d), range(${days}) AS u(c)
    WHERE c = d - 1 OR (c < d AND hash(c, d) % 1000 < 473)`)
  const keys = Array.from({ length: segments }, (_, i) => `bench${i}`)
  const write = async (key: string, table: SegmentTable, query: string): Promise<void> => {
    const file = partFile(path.join(segmentsFolder(dataDir), key), table)
    mkdirSync(path.dirname(file), { recursive: true })
    await writeParquet(connection, file, query)
  }
  for (const [i, key] of keys.entries()) {
    const within = `day * ${segments} // ${days} = ${i}`
    await write(
      key,
      'flows',
      `SELECT date, created_date, sats AS spent_sats, 1::BIGINT AS spent_outputs,
         (sats * (date - created_date) * 86400) % (1::BIGINT << 50) AS sat_seconds_low,
         (sats * (date - created_date) * 86400) >> 50 AS sat_seconds_high,
         (date - created_date)::BIGINT * 86400 AS output_seconds
       FROM bench_flows WHERE ${within} ORDER BY date, created_date`,
    )
    await write(key, 'young_spends', `SELECT date, created_date, ${youngSums} FROM bench_flows LIMIT 0`)
    await write(
      key,
      'blocks',
      `SELECT day::INTEGER AS height, epoch(date)::BIGINT + 3600 AS time, 486604799::UINTEGER AS bits, 285 AS size,
         1140 AS weight, 2 AS transactions, count(*)::INTEGER AS inputs, count(*)::INTEGER + 10000 AS outputs,
         0::BIGINT AS unspendable_sats, 0 AS unspendable_outputs, 0 AS op_return_outputs, 0 AS segwit_outputs,
         0 AS taproot_outputs, 5000000000::BIGINT AS coinbase_sats, 0::BIGINT AS fees_sats, sum(sats)::BIGINT AS spent_sats
       FROM bench_flows WHERE ${within} GROUP BY day, date
       ${i === 0 ? genesisRow : ''} ORDER BY height`,
    )
    await write(
      key,
      'histograms',
      `SELECT DISTINCT date, 0 AS kind, 500 AS bin, 1::BIGINT AS count FROM bench_flows WHERE ${within} ORDER BY date`,
    )
  }
  await connection.run('DROP TABLE bench_flows')
  const scanned: ScannedChain = {
    version: 1,
    network: 'mainnet',
    source: 'files',
    tip,
    work: '1',
    segments: keys,
    node: null,
    notes: [],
  }
  const hashes = `SELECT i::INTEGER AS height, printf('%064x', i) AS hash FROM range(${days}) AS t(i) ORDER BY height`
  await writeParquet(connection, chainFile(dataDir, scanned), hashes)
  const endDay = Date.UTC(2009, 0, 3) / 86_400_000 + days
  await writeSimulatedPrices(connection, dataDir, simulatedPrices({ seed: 1, endDay }))
  return scanned
}

const youngSums = ['1h', '24h']
  .flatMap((age) =>
    ['spent_sats', 'spent_outputs', 'sat_seconds_low', 'sat_seconds_high', 'output_seconds'].map(
      (sum) => `0::BIGINT AS ${sum}_under_${age}`,
    ),
  )
  .join(', ')

/** The first day spends nothing, and its coinbase can never be spent. */
const genesisRow = `UNION ALL SELECT 0, epoch(DATE '2009-01-03')::BIGINT + 3600, 486604799, 285, 1140, 1, 0, 1, 5000000000, 1, 0, 0, 0, 5000000000, 0, 0`
