import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { msPerDay, secondsPerHour } from '#base/days.ts'
import { tables } from '#contract/tables/tables.ts'
import { mergeBars } from '#ingest/market/merged-bars.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import { type DailyPrices, readDailyPrices } from '#ingest/market/prices.ts'
import { storedDigest } from '#ingest/market/store.ts'
import { publishFile, unfinishedPath } from '#sql/files.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { addChecksum, verifyChecksum } from '#sql/parquet-checksum.ts'
import type { Relation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { type HourlyCloses, readHourlyCloses } from '../cohorts/hour-prices.ts'
import { mergedHoursFolder } from '../data-folder.ts'
import { readValue } from '../read-value.ts'
import type { Draft } from './draft.ts'
import { programHash } from './input-key.ts'

/**
 * Tables are empty without prices.
 * @param onchain where prices of the chain replace those of markets
 */
export async function publishPrices(
  draft: Draft,
  dataDir: string,
  lastDay: number,
  onchain?: Relation<'price_onchain'>,
): Promise<{ dailyPrices: DailyPrices | undefined; hourlyCloses: HourlyCloses; prices: Relation<'prices'> }> {
  const dailyPrices = await readDailyPrices(draft.connection, dataDir, onchain?.from)
  const values = { last_day: new DuckDBDateValue(lastDay) }
  const hours = await mergeHours(draft.connection, dataDir, lastDay, onchain !== undefined)
  const prices = await draft.write(tables.prices, readStatement('prices'), {
    from: [
      { name: 'merged_prices', from: 'prices_merged' },
      { name: 'merged_hours', from: hours },
    ],
    values,
  })
  await draft.write(tables.price_sources, readStatement('price-sources'), {
    from: [{ name: 'price_bars', from: 'prices_bars' }],
    values,
  })
  await draft.write(tables.prices_hourly, readStatement('prices-hourly'), {
    from: [{ name: 'merged_hours', from: hours }],
    values,
  })
  return { dailyPrices, hourlyCloses: await readHourlyCloses(draft.connection, hours), prices }
}

/** Months that ended this many days before the last closed day are cached. */
const settledDays = 31

const merged = 'prices_hourly_merged'

/** Returns a FROM clause. Old months are merged again only if their observations have changed. */
export async function mergeHours(
  connection: DuckDBConnection,
  dataDir: string,
  lastDay: number,
  isOnchain = false,
): Promise<string> {
  const onchain = isOnchain ? null : undefined
  const table = stored.prices_hourly
  const end = beginningOfMonth(lastDay - settledDays)
  const key = createHash('sha256')
    .update(`${programHash()} ${end} ${storedDigest(dataDir, table, end)} ${isOnchain}`)
    .digest('hex')
  const cached = findCached(dataDir, key)
  if (cached) {
    await mergeBars(connection, dataDir, table, end, onchain)
    // If the first newer hour has no own price, it takes the price of the older hours, which must
    // be merged too.
    if ((await readValue(connection, `SELECT epoch_ms(min(time))::DOUBLE FROM ${merged}`)) === end)
      return `(FROM ${parquetFiles([cached])} UNION ALL FROM ${merged})`
  }
  await mergeBars(connection, dataDir, table, undefined, onchain)
  const isOld = `time < epoch_ms(${end}::BIGINT)`
  // Once newer hours exist, the last old hour has a row, possibly carried over.
  const lastOld = end - 1000 * secondsPerHour
  const newestOld = `SELECT epoch_ms(max(time))::DOUBLE FROM ${merged} WHERE ${isOld}`
  if (!cached && (await readValue(connection, newestOld)) === lastOld) await writeCache(connection, dataDir, key, isOld)
  return merged
}

function beginningOfMonth(day: number): number {
  const date = new Date(day * msPerDay)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const cacheFile = (dataDir: string, key: string): string => path.join(mergedHoursFolder(dataDir), `${key}.parquet`)

/** A damaged file counts as missing. */
function findCached(dataDir: string, key: string): string | undefined {
  const file = cacheFile(dataDir, key)
  return existsSync(file) && verifyChecksum(readFileSync(file)) !== undefined ? file : undefined
}

async function writeCache(connection: DuckDBConnection, dataDir: string, key: string, isOld: string): Promise<void> {
  const file = cacheFile(dataDir, key)
  rmSync(path.dirname(file), { recursive: true, force: true })
  mkdirSync(path.dirname(file), { recursive: true })
  const unfinished = unfinishedPath(file)
  await writeParquet(connection, unfinished, `SELECT * FROM ${merged} WHERE ${isOld} ORDER BY time`)
  addChecksum(unfinished)
  publishFile(unfinished, file)
}
