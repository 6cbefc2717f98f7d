import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { quotedString } from '#sql/quote.ts'
import { type Cells, type ObservationTable, simulatedSource, tables } from './observations.ts'
import { findPriceRole, firstMarket } from './price-sources.ts'
import { storedObservations, storedSources } from './store.ts'

/** Sources disagree above this spread of closes, a fraction of the price. */
export const disagreementTolerance = 0.03

/**
 * Creates temporary tables of a kind's stored prices; with `since` (milliseconds since 1970) from
 * its month on. `<kind>_bars`: a row per day or hour (`date` or `time`) and source with `source,
 * open, high, low, close, volume` (USD), `volume_of`, and `counted`, true if the bar took part in
 * the price. Bars without trade (volume 0) are omitted; with unknown volume the price counts.
 * `<kind>_merged`: a row per day or hour from the first priced to the last with `open, high, low,
 * close, volume, sources` (number of the price's sources), `source` (their names), `disagreement`
 * (highest minus lowest close, as a fraction of their median; null with one source). Prices are
 * medians; open, high and low come from sources that know them, widened to include the close.
 * Without a source the last close is repeated, with `sources` 0 and `source` `carried`. Volume is
 * the sum of exchanges or, if unknown, the whole market's. Throws `data_folder_mismatch` for an
 * unknown source.
 * @param onchain FROM clause of days with `date, price, low, high`, or null for none: these and
 * imported prices then replace all others
 */
export async function mergeBars<Row extends Cells>(
  connection: DuckDBConnection,
  dataDir: string,
  table: ObservationTable<Row>,
  since?: number,
  onchain?: string | null,
): Promise<void> {
  const { kind, columns } = table
  const [at, type, step] = 'date' in columns ? ['date', 'DATE', 'DAY'] : ['time', 'TIMESTAMP', 'HOUR']
  const stored = storedSources(dataDir, kind).filter((source) => onchain === undefined || source === 'import')
  const names = [...stored, firstMarket.source, ...(onchain === undefined ? [] : ['onchain'])]
  const roles = names.map((source) => {
    const { rank, bars, volume } = findPriceRole(source, dataDir)
    return `(${quotedString(source)}, ${rank}, ${bars}, ${quotedString(volume)})`
  })
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${kind}_bars AS
     WITH roles (source, rank, bars, volume_of) AS (VALUES ${roles.join(', ')}),
     stored AS (FROM (${storedObservations(dataDir, table, since) ?? emptySelect(columns)}) SEMI JOIN roles USING (source)),
     observed AS (FROM stored ${at === 'date' ? `UNION ALL BY NAME ${firstDay}${onchainDays(onchain)}` : ''})
     SELECT ${at}, source, open, high, low, close, coalesce(volume_usd, volume_btc * close) AS volume, volume_of, bars,
       rank = min(rank) OVER (PARTITION BY ${at}) AS counted
     FROM observed JOIN roles USING (source)
     WHERE coalesce(volume_btc, volume_usd, 1) > 0`,
  )
  // Sorting lists is ten times faster than sorting the rows of each group.
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${kind}_merged AS
     WITH merged AS (
       SELECT ${at},
         median(open) FILTER (counted AND bars) AS open,
         median(high) FILTER (counted AND bars) AS high,
         median(low) FILTER (counted AND bars) AS low,
         median(close) FILTER (counted) AS close,
         coalesce(
           max(volume) FILTER (volume_of = 'own'),
           list_sum(list_sort(list(volume) FILTER (volume_of = 'exchange'))),
           max(volume) FILTER (volume_of = 'market')
         ) AS volume,
         count(*) FILTER (counted)::INTEGER AS sources,
         array_to_string(list_sort(list(source) FILTER (counted)), ', ') AS source,
         max(close) FILTER (counted) - min(close) FILTER (counted) AS spread
       FROM ${kind}_bars GROUP BY ${at}
     ), market AS (
       SELECT date::${type} AS ${at}, max(volume_usd) AS volume
       FROM (${(at === 'date' && storedObservations(dataDir, tables.market_volume)) || emptySelect(tables.market_volume.columns)})
       GROUP BY date
     ), span AS (
       SELECT unnest(generate_series(min(${at}), max(${at}), INTERVAL 1 ${step}))::${type} AS ${at} FROM merged
     ), filled AS (
       SELECT merged.* REPLACE (span.${at} AS ${at}, coalesce(merged.volume, market.volume) AS volume),
         last_value(merged.close IGNORE NULLS) OVER (ORDER BY span.${at}) AS known
       FROM span LEFT JOIN merged USING (${at}) LEFT JOIN market USING (${at})
     )
     SELECT ${at}, coalesce(open, known) AS open, greatest(high, open, known) AS high, least(low, open, known) AS low,
       known AS close, volume, coalesce(sources, 0) AS sources, coalesce(source, 'carried') AS source,
       CASE WHEN sources > 1 THEN spread / close END AS disagreement
     FROM filled`,
  )
}

/** Adds the market's first day to histories beginning the day after. */
const firstDay = `
  SELECT DATE '${isoDate(firstMarket.day)}' AS date, ${firstMarket.price} AS open, ${firstMarket.price} AS high,
    ${firstMarket.price} AS low, ${firstMarket.price} AS close, ${firstMarket.volumeBtc} AS volume_btc,
    '${firstMarket.source}' AS source
  FROM stored HAVING min(date) = DATE '${isoDate(firstMarket.day + 1)}' AND NOT bool_or(source = '${simulatedSource}')`

const onchainDays = (from: string | null | undefined): string =>
  from
    ? `UNION ALL BY NAME SELECT date, coalesce(lag(price) OVER (ORDER BY date), price) AS open, high, low, price AS close,
         'onchain' AS source
       FROM ${from} WHERE price IS NOT NULL`
    : ''

const emptySelect = (columns: ObservationTable['columns']): string => {
  const typed = Object.entries({ ...columns, source: 'VARCHAR' }).map(([name, type]) => `NULL::${type} AS ${name}`)
  return `SELECT ${typed.join(', ')} WHERE false`
}
