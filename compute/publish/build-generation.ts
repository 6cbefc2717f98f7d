import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { networks } from '#ingest/chain/networks.ts'
import { closesOf, type DailyPrices, doubtsOf, readDailyPrices } from '#ingest/market/prices.ts'
import { isoDate } from '#root/days.ts'
import { CoinstrataError } from '#root/errors.ts'
import { readColumns } from '#sql/columns.ts'
import { publishFolder, replaceFile, unfinishedName } from '#sql/files.ts'
import {
  type Generation,
  type PublishedTable,
  publishedFolder,
  removeOldGenerations,
  switchToGeneration,
} from '#sql/generation.ts'
import { diskFull, parquetFiles, writeParquet } from '#sql/parquet.ts'
import { countRows, fileDigest } from '#sql/published-table.ts'
import { statement } from '#sql/statement.ts'
import { auditGeneration } from '../audit/audit.ts'
import { createOverwritten } from '../audit/overwritten.ts'
import { CohortPass } from '../cohorts/cohort-pass.ts'
import { cohortsOf } from '../cohorts/cohorts.ts'
import { CoinAges } from '../cohorts/coin-ages.ts'
import { costBasisOf } from '../cohorts/cost-basis.ts'
import { CostDistribution } from '../cohorts/cost-distribution.ts'
import { readDailyCoins } from '../cohorts/daily-coins.ts'
import { mergeFlows } from '../cohorts/merge-flows.ts'
import { limbMacros } from '../scan/limbs.ts'
import { binMacros } from '../scan/log-histogram.ts'
import { chainFile, type ScannedChain } from '../scan/scanned-chain.ts'
import { segmentFile, segmentTables } from '../scan/segments.ts'
import { publishMarketTables } from './market-tables/market-tables.ts'
import { publishMetrics } from './publish-metrics.ts'

/** Days of a chain that are complete: a later block's monotone time has passed their midnight. */
interface ClosedDays {
  /** Unix days. */
  readonly first: number
  readonly last: number
  /** Day of each block by height. */
  readonly days: Int32Array
  readonly tipTime: string
}

/**
 * Computes every table from what was scanned, audits them, and publishes them as the current generation. Until the
 * last step nothing that readers see has changed. Throws `audit_failed`, `data_not_ready`, `disk_full`.
 */
export async function buildGeneration(
  connection: DuckDBConnection,
  dataDir: string,
  scanned: ScannedChain,
): Promise<Generation> {
  const createdAt = new Date()
  const id = `${createdAt.toISOString().replace(/[-:.]/g, '')}-${scanned.tip.height}-${scanned.tip.hash.slice(-8)}`
  const target = path.join(publishedFolder(dataDir), id)
  const folder = unfinishedName(target)
  const file = (table: string): string => path.join(folder, `${table}.parquet`)
  try {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const network = networks[scanned.network]
    await openScan(connection, dataDir, scanned)
    await writeParquet(connection, file('blocks'), statement('blocks'))
    await createView(connection, 'blocks', parquetFiles([file('blocks')]))
    await createOverwritten(connection, network)
    const closed = await closedDays(connection)
    await connection.run(`SET VARIABLE last_day = DATE '1970-01-01' + ${closed.last}`)

    await writeParquet(connection, file('young_spends'), statement('young-spends'))
    await createView(connection, 'young_spends', parquetFiles([file('young_spends')]))
    await writeParquet(connection, file('overwritten'), 'SELECT * FROM overwritten ORDER BY date')
    const prices = await readDailyPrices(connection, dataDir)
    await writeParquet(connection, file('prices'), statement('prices'))
    await writeParquet(connection, file('price_sources'), statement('price-sources'))
    await createView(connection, 'prices', parquetFiles([file('prices')]))
    const dayCount = closed.last - closed.first + 1
    const basis = costBasisOf(prices, closed.first, dayCount)
    const cohorts = cohortsOf(closed, network.halvingInterval, closed.last)
    const coins = await readDailyCoins(connection, closed.first, dayCount)
    const costs = new CostDistribution(basis)
    const ages = new CoinAges(basis)
    const pass = new CohortPass(closed.first, cohorts, basis, coins, (day, unspentSats, unspentOutputs) => {
      costs.addDay(day, unspentSats)
      ages.addDay(day, unspentSats, unspentOutputs)
    })
    const segments = scanned.segments.map((key) => segmentFile(dataDir, key, 'flows'))
    await mergeFlows(connection, segments, closed.last, file('flows'), (rows, columns) => pass.addFlows(rows, columns))
    pass.finish()
    await createView(connection, 'flows', parquetFiles([file('flows')]))
    await writeParquet(connection, file('days'), statement('days'))
    await createView(connection, 'days', parquetFiles([file('days')]))
    const closeOn = prices ? closesOf(prices) : () => Number.NaN
    const marketTables = await publishMarketTables({ connection, dataDir, file, closeOn, lastDay: closed.last })
    const state = { firstDay: closed.first, cohorts, columns: pass.columns, basis, costs, ages }
    const metricTables = await publishMetrics(connection, file, network, state)
    await createView(connection, 'cohorts', parquetFiles([file('cohorts')]))

    const { audit, tip } = await auditGeneration(connection, network, scanned)
    const tables = await describeTables(connection, folder, [
      'blocks',
      'flows',
      'young_spends',
      'overwritten',
      'days',
      'prices',
      'price_sources',
      ...marketTables,
      ...metricTables,
    ])
    const generation: Generation = {
      format: 1,
      id,
      created_at: createdAt.toISOString(),
      network: scanned.network,
      genesis_hash: network.genesisHash,
      simulated: scanned.network === 'simulated',
      source: scanned.source,
      first_date: isoDate(closed.first),
      last_date: isoDate(closed.last),
      tip: {
        ...scanned.tip,
        time: closed.tipTime,
        work: scanned.work,
        supply_sats: tip.supplySats,
        utxo_count: tip.utxoCount,
      },
      prices: prices ? describePrices(prices) : null,
      audit,
      notes: scanned.notes,
      tables,
    }
    replaceFile(path.join(folder, 'generation.json'), `${JSON.stringify(generation, null, 2)}\n`)
    publishFolder(folder, target)
    switchToGeneration(dataDir, id)
    removeOldGenerations(dataDir)
    return generation
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw diskFull(cause, folder) ?? cause
  }
}

async function openScan(connection: DuckDBConnection, dataDir: string, scanned: ScannedChain): Promise<void> {
  for (const table of segmentTables) {
    const files = scanned.segments.map((key) => segmentFile(dataDir, key, table))
    await createView(connection, `segment_${table}`, parquetFiles(files))
  }
  await createView(connection, 'chain', parquetFiles([chainFile(dataDir, scanned)]))
  await connection.run(limbMacros)
  await connection.run(binMacros)
}

async function createView(connection: DuckDBConnection, name: string, from: string): Promise<void> {
  await connection.run(`CREATE OR REPLACE TEMP VIEW ${name} AS SELECT * FROM ${from}`)
}

async function closedDays(connection: DuckDBConnection): Promise<ClosedDays> {
  const { date } = await readColumns(connection, 'SELECT date FROM blocks ORDER BY height')
  const result = await connection.runAndReadAll(
    `SELECT strftime(max_by(time, height), '%Y-%m-%dT%H:%M:%SZ') FROM blocks`,
  )
  if (!(date instanceof Int32Array)) throw new Error('blocks.date is not a date')
  const first = date[0]!
  const last = date.at(-1)! - 1
  if (last < first) {
    throw new CoinstrataError('data_not_ready', `all blocks are of ${isoDate(first)}: no day is complete yet`, {
      cure: 'run again after the first block of the next day',
    })
  }
  return { first, last, days: date, tipTime: String(result.getRows()[0]![0]) }
}

function describePrices(prices: DailyPrices): Generation['prices'] {
  const { disagreeing, worst, carried } = doubtsOf(prices)
  return {
    source: prices.source,
    first_date: isoDate(prices.firstDay),
    last_date: isoDate(prices.firstDay + prices.close.length - 1),
    carried_days: carried,
    disagreeing_days: disagreeing,
    worst_disagreement: worst ? { date: isoDate(worst.day), fraction: worst.disagreement } : null,
  }
}

async function describeTables(
  connection: DuckDBConnection,
  folder: string,
  names: readonly string[],
): Promise<Record<string, PublishedTable>> {
  const tables: Record<string, PublishedTable> = {}
  for (const name of names) {
    const file = path.join(folder, `${name}.parquet`)
    tables[name] = { rows: await countRows(connection, file), ...(await fileDigest(file)) }
  }
  return tables
}
