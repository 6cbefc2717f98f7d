import { DuckDBDateValue } from '@duckdb/node-api'
import { tables } from '#contract/tables/tables.ts'
import { type DailyPrices, readDailyPrices } from '#ingest/market/prices.ts'
import type { Relation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { type HourlyCloses, readHourlyCloses } from '../cohorts/hour-prices.ts'
import type { Draft } from './draft.ts'
import { mergeHours } from './merged-hours.ts'

/**
 * Writes `prices`, `price_sources` and `prices_hourly`, which are empty without stored prices. Also returns daily and hourly
 * closes. Throws `data_folder_mismatch`.
 */
export async function publishPrices(
  draft: Draft,
  dataDir: string,
  lastDay: number,
): Promise<{ dailyPrices: DailyPrices | undefined; hourlyCloses: HourlyCloses; prices: Relation<'prices'> }> {
  const dailyPrices = await readDailyPrices(draft.connection, dataDir)
  const values = { last_day: new DuckDBDateValue(lastDay) }
  const prices = await draft.write(tables.prices, readStatement('prices'), {
    from: [{ name: 'merged_prices', from: 'prices_merged' }],
    values,
  })
  await draft.write(tables.price_sources, readStatement('price-sources'), {
    from: [{ name: 'price_bars', from: 'prices_bars' }],
    values,
  })
  const hours = await mergeHours(draft.connection, dataDir, lastDay)
  await draft.write(tables.prices_hourly, readStatement('prices-hourly'), {
    from: [{ name: 'merged_hours', from: hours }],
    values,
  })
  return { dailyPrices, hourlyCloses: await readHourlyCloses(draft.connection, hours), prices }
}
