import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { hoursPerDay, parseDay, secondsPerDay, secondsPerHour } from '#base/days.ts'
import { claimDataFolder, segmentsFolder } from '#compute/data-folder.ts'
import { writeScannedChain } from '#compute/scan/scanned-chain.ts'
import { joinedPrefix, partFile, type SegmentTable, writeManifest } from '#compute/scan/segment-parts.ts'
import { segmentKey } from '#compute/scan/segments.ts'
import { feeRateColumns, transactionColumns } from '#compute/scan/transaction-sums.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import { tipHash } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { simulatedSource, tables } from '#ingest/market/observations.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { type SimulatedPrice, simulatedPrices } from '#ingest/simulated/prices.ts'
import { writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { withProvedSegments } from '#state/proved-segments.ts'
import { blocksInFile, blockTime, type HeaderFiles } from './header-files.ts'

const { regtest } = networks
const segmentsPerJoin = 100
/** The newest segments stay single. */
const minSingle = 70
/** Each day spends coins of this share of earlier days. */
const spentShare = 0.473
/** Enough for all spends; the first days have more, because of few blocks. */
const outputsPerBlock = 1_350
/** Kinds of outputs per day of spending and day of creation. */
const kindsPerFlow = 9
const kindColumn = '(13 * (1 + (created_day + kind) % 6) + 2 + (created_day + 5 * kind) % 9)::INTEGER AS kind'

/** Sets mainnet's halving interval for regtest in this process, or each day would have a cohort. */
export const spreadHalvings = (): void => void Object.assign(regtest, { halvingInterval: 210_000 })

/** Settings of an update that finds only the node in `own`. */
export const updateSettings = (
  own: Pick<UpdateSettings, 'dataDir' | 'source'> & Partial<UpdateSettings>,
): UpdateSettings => ({
  network: 'regtest',
  datadir: undefined,
  blocksdir: undefined,
  rpcUrl: undefined,
  rpcUser: undefined,
  rpcPassword: undefined,
  defaultDatadir: '/nonexistent',
  simulatedSeed: 1,
  pricing: 'hourly',
  memory: '1GB',
  ...own,
})

/**
 * Writes a mainnet-sized data folder without publications: segments as if scanned, 10 million flow
 * rows over 6,500 days, and prices.
 */
export async function writeDataFolder(dataDir: string, blocksFolder: string, shape: HeaderFiles): Promise<void> {
  spreadHalvings()
  mkdirSync(path.join(dataDir, 'raw'))
  claimDataFolder(dataDir, 'regtest')
  const blocks = openBlockFolder(blocksFolder)
  const headers = path.join(dataDir, 'raw', 'headers')
  const stored = (await readBlockTree(blocks, regtest, headers)).bestChain()
  const units = planFileUnits(blocks, regtest, stored)
  const segments = units.map((unit) => ({
    key: segmentKey(unit.hashes, 'off'),
    blocks: unit.heights.length,
  }))
  await withProvedSegments(dataDir, (registry) => {
    for (const segment of segments) registry.recordProved(segment)
    registry.setChain(segments)
  })
  const keys = segments.map(({ key }) => key)
  const limits = { temporaryFolder: path.join(dataDir, 'tmp'), memory: '3GB' }
  await withSession(limits, async (connection) => {
    await makeRows(connection, shape)
    await writeSegments(connection, dataDir, keys)
    const { tipHeight, work } = stored.chain
    writeScannedChain(dataDir, stored.chain, {
      version: 3,
      network: 'regtest',
      source: 'files',
      tip: { height: tipHeight, hash: tipHash(stored.chain) },
      work: work.toString(16),
      segments: keys,
      lastHeights: units.map((unit) => unit.heights.at(-1)!),
      node: null,
      notes: [],
    })
    const endDay = Math.floor(blockTime(shape.blocks) / secondsPerDay) + 100
    const prices = simulatedPrices({ seed: 1, endDay })
    await writeSimulatedPrices(connection, dataDir, prices)
    await writeHourlyPrices(connection, dataDir, prices)
  })
  rmSync(limits.temporaryFolder, { recursive: true, force: true })
}

async function writeHourlyPrices(
  connection: DuckDBConnection,
  dataDir: string,
  prices: readonly SimulatedPrice[],
): Promise<void> {
  const rows = prices
    .filter(({ day }) => day >= parseDay('2011-08-18'))
    .flatMap(({ day, open, close }) =>
      Array.from({ length: hoursPerDay }, (_, hour) => {
        const at = (hours: number): number => open + ((close - open) * hours) / hoursPerDay
        const [from, to] = [at(hour), at(hour + 1)]
        const time = (day * hoursPerDay + hour) * 1000 * secondsPerHour
        const [high, low] = [Math.max(from, to), Math.min(from, to)]
        return { time, open: from, high, low, close: to, volume_btc: null, volume_usd: 1 }
      }),
    )
  await appendObservations(connection, dataDir, tables.prices_hourly, simulatedSource, rows, Date.now())
}

/** Each hour's first block spends an output of every hour of this day and the day before. */
async function makeRows(connection: DuckDBConnection, shape: HeaderFiles): Promise<void> {
  await connection.run(`
    CREATE TEMP TABLE all_heights AS
    SELECT height::INTEGER AS height, ${blockTime(0)} + ${blockTime(1) - blockTime(0)} * height AS time,
      (time // 86400)::INTEGER AS day, (time // 3600)::INTEGER AS hour, height // ${blocksInFile(shape)} AS segment
    FROM range(${shape.blocks}) AS t(height)`)
  await connection.run(`
    CREATE TEMP TABLE all_spends AS
    WITH days AS (SELECT day, min(height) AS first, count(*) AS blocks FROM all_heights GROUP BY day)
    SELECT spent.first + (hash(spent.day, created.day, 1) % spent.blocks)::INTEGER AS height,
      spent.day, created.day AS created_day, ${kindsPerFlow} * (1000 + (hash(spent.day, created.day) % 1000))::BIGINT AS sats
    FROM days AS spent JOIN days AS created
      ON created.day < spent.day - 1 AND hash(created.day, spent.day) % 1000 < ${1000 * spentShare}
    ORDER BY height, created_day`)
  await connection.run(`
    CREATE TEMP TABLE all_young AS
    WITH hours AS (SELECT hour, any_value(day) AS day, min(height) AS height FROM all_heights GROUP BY hour)
    SELECT spent.height, spent.day, spent.hour, created.day AS created_day, created.hour AS created_hour,
      ${kindsPerFlow} * (1000 + (hash(spent.hour, created.hour) % 1000000))::BIGINT AS sats,
      3600 * (spent.hour - created.hour)::BIGINT AS age
    FROM hours AS spent JOIN hours AS created ON created.hour BETWEEN 24 * (spent.day - 1) AND spent.hour
    WHERE spent.height > 0 ORDER BY spent.height`)
}

const transactionSums = [
  ...[...transactionColumns, 'dust_outputs', 'op_return_bytes', 'large_op_return_outputs', 'omni_outputs'].map(
    (name, i) => `(hash(height, ${i}) % 1000)::INTEGER AS ${name}`,
  ),
  ...feeRateColumns.map((name, i) => `(1000 * ${i + 1} + hash(height, ${i}) % 1000)::BIGINT AS ${name}`),
].join(', ')

const rowQueries: Readonly<Record<SegmentTable, string>> = {
  // Addresses have their own benches.
  address_events: `SELECT DATE '1970-01-01' AS date, DATE '1970-01-01' AS created_date, 0 AS type, 0::UINTEGER AS high, 0::UINTEGER AS low,
      0::BIGINT AS received_sats, 0::BIGINT AS spent_sats, segment FROM heights WHERE false`,
  flows: `SELECT DATE '1970-01-01' + day AS date, DATE '1970-01-01' + created_day AS created_date,
      sats AS spent_sats, outputs AS spent_outputs, sat_seconds % (1::BIGINT << 50) AS sat_seconds_low,
      sat_seconds >> 50 AS sat_seconds_high, seconds AS output_seconds, segment
    FROM (
      SELECT height, day, created_day, sats, ${kindsPerFlow}::BIGINT AS outputs, (day - created_day)::BIGINT * 86400 AS age,
        ${kindsPerFlow} * age AS seconds, sats * age AS sat_seconds, segment
      FROM spends JOIN heights USING (height, day)
      UNION ALL
      SELECT min(height), day, created_day, sum(sats)::BIGINT, ${kindsPerFlow} * count(*), 0, (${kindsPerFlow} * sum(age))::BIGINT, sum(sats * age)::BIGINT, segment
      FROM young JOIN heights USING (height, day) GROUP BY ALL
    ) ORDER BY segment, date, created_date`,
  young_spends: `SELECT young.hour, created_hour, sats AS spent_sats,
      ${[1, 24]
        .map((hours) => {
          const part = (sum: string): string => `if(age < 3600 * ${hours}, ${sum}, 0)::BIGINT`
          return `${part('sats')} AS spent_sats_under_${hours}h, ${part(String(kindsPerFlow))} AS spent_outputs_under_${hours}h,
            ${part('sats * age')} AS sat_seconds_low_under_${hours}h, 0::BIGINT AS sat_seconds_high_under_${hours}h,
            ${part(`${kindsPerFlow} * age`)} AS output_seconds_under_${hours}h`
        })
        .join(', ')}, segment
    FROM young JOIN heights USING (height)
    ORDER BY segment, young.hour, created_hour`,
  blocks: `SELECT height, time::BIGINT AS time, ${regtest.easiestBits}::UINTEGER AS bits, 1500000 AS size,
      4000000 AS weight, 2500 AS transactions, coalesce(inputs, 0)::INTEGER AS inputs,
      if(height = 0, 1, if(height < 10, ${10 * outputsPerBlock}, ${outputsPerBlock})) AS outputs, if(height = 0, 5000000000, 0)::BIGINT AS unspendable_sats,
      if(height = 0, 1, 0)::INTEGER AS unspendable_outputs, 0 AS op_return_outputs, 20 AS segwit_outputs,
      40 AS taproot_outputs, (5000000000 >> (height // 210000))::BIGINT AS coinbase_sats, 0::BIGINT AS fees_sats,
      ${transactionSums}, coalesce(sats, 0)::BIGINT AS adjusted_sats, coalesce(sats, 0)::BIGINT AS spent_sats, segment
    FROM heights LEFT JOIN (
      SELECT height, ${kindsPerFlow} * count(*) AS inputs, sum(sats) AS sats
      FROM (SELECT height, sats FROM spends UNION ALL SELECT height, sats FROM young)
      GROUP BY height
    ) USING (height) ORDER BY height`,
  histograms: `SELECT DATE '1970-01-01' + day AS date, kind::INTEGER AS kind, bin::INTEGER AS bin,
      (1 + hash(day, kind, bin) % 1000)::BIGINT AS count, segment
    FROM (SELECT DISTINCT day, segment FROM heights), range(6) AS k(kind), range(400, 1200) AS b(bin) WHERE kind >= 3 OR bin < 480
    ORDER BY segment, date, kind, bin`,
  kind_flows: `SELECT DATE '1970-01-01' + day AS date, DATE '1970-01-01' + created_day AS created_date,
      ${kindColumn},
      sum(sats)::BIGINT // ${kindsPerFlow} AS spent_sats, count(*)::INTEGER AS spent_outputs, segment
    FROM (SELECT height, day, created_day, sats FROM spends UNION ALL SELECT height, day, created_day, sats FROM young)
    JOIN heights USING (height, day), range(${kindsPerFlow}) AS k(kind)
    GROUP BY ALL ORDER BY segment, date, created_date, kind`,
  created_kinds: `SELECT DATE '1970-01-01' + day AS date, if(height = 0, 307, 21)::INTEGER AS kind,
      sum((5000000000 >> (height // 210000)) + coalesce(sats, 0))::BIGINT AS created_sats,
      sum(if(height = 0, 1, if(height < 10, ${10 * outputsPerBlock}, ${outputsPerBlock})))::INTEGER AS created_outputs, segment
    FROM heights LEFT JOIN (
      SELECT height, sum(sats) AS sats FROM (SELECT height, sats FROM spends UNION ALL SELECT height, sats FROM young) GROUP BY height
    ) USING (height)
    GROUP BY ALL ORDER BY segment, date, kind`,
  young_kinds: `SELECT young.hour, (created_day = young.day)::INTEGER + (created_hour = young.hour)::INTEGER AS recency,
      ${kindColumn}, sum(sats)::BIGINT // ${kindsPerFlow} AS spent_sats, segment
    FROM young JOIN heights USING (height), range(${kindsPerFlow}) AS k(kind)
    GROUP BY ALL ORDER BY segment, young.hour, recency, kind`,
  coinbases: `SELECT height, format('{} /Pool {}/ {}', height, hash(height) % 30, md5(height::VARCHAR)) AS text,
      '0014' || md5(height::VARCHAR) || '12345678' AS payouts, segment
    FROM heights ORDER BY height`,
  // The characters of a hash are packed counts.
  output_hours: `SELECT hour, repeat(md5(hour::VARCHAR), 40) AS broad, repeat(md5(hour::VARCHAR), 20) AS narrow, segment
    FROM (SELECT DISTINCT hour, segment FROM heights) ORDER BY segment, hour`,
}

/** Copies these segments' rows from `all_…`; otherwise each query would read all. */
async function selectSegments(connection: DuckDBConnection, first: number, count: number): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE heights AS SELECT * FROM all_heights WHERE segment BETWEEN ${first} AND ${first + count - 1}`,
  )
  const [range] = (await connection.runAndReadAll('SELECT min(height), max(height) FROM heights')).getRows()
  for (const table of ['spends', 'young']) {
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT * FROM all_${table} WHERE height BETWEEN ${range?.[0]} AND ${range?.[1]}`,
    )
  }
}

async function writeSegments(connection: DuckDBConnection, dataDir: string, keys: readonly string[]): Promise<void> {
  const joined = Math.floor((keys.length - minSingle) / segmentsPerJoin) * segmentsPerJoin
  for (let first = 0; first < keys.length; ) {
    const isJoined = first < joined
    const count = isJoined ? segmentsPerJoin : 1
    const name = isJoined ? `${joinedPrefix}20260101T000000000Z-${keys[first]}` : keys[first]!
    const folder = path.join(segmentsFolder(dataDir), name)
    mkdirSync(folder, { recursive: true })
    await selectSegments(connection, first, count)
    for (const table of Object.keys(rowQueries) as SegmentTable[]) {
      const rows = rowQueries[table]
      const select = isJoined
        ? `SELECT * REPLACE ((segment - ${first})::USMALLINT AS segment) FROM (${rows})`
        : `SELECT * EXCLUDE (segment) FROM (${rows})`
      await writeParquet(connection, partFile(folder, table), select)
    }
    writeManifest(folder, keys.slice(first, first + count))
    first += count
  }
}
