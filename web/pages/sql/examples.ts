/** By title. Each takes less than two seconds once its tables are loaded. */
export const examples: Readonly<Record<string, string>> = {
  'MVRV from market cap and realized cap': `SELECT date, market_cap / realized_cap AS mvrv
FROM metrics_market JOIN metrics_valuation USING (date) ORDER BY date`,
  'MVRV and its percentile among all days': `SELECT date, mvrv, 100 * percent_rank() OVER (ORDER BY mvrv) AS percentile
FROM metrics_valuation WHERE mvrv IS NOT NULL ORDER BY date`,
  'Quantiles of MVRV by year': `SELECT year(date) AS year, quantile_cont(mvrv, [0.1, 0.5, 0.9]) AS p10_p50_p90
FROM metrics_valuation GROUP BY year ORDER BY year`,
  'Price and its mean of 200 days': `SELECT date, close, avg(close) OVER (ORDER BY date ROWS 199 PRECEDING) AS mean_200d
FROM prices ORDER BY date`,
  'The ten largest falls of a day': `SELECT date, close, 100 * (close / lag(close) OVER (ORDER BY date) - 1) AS change
FROM prices ORDER BY change LIMIT 10`,
  'Change of the price by month': `SELECT date_trunc('month', date)::DATE AS month, 100 * (last(close ORDER BY date) / first(open ORDER BY date) - 1) AS change
FROM prices GROUP BY month ORDER BY month`,
  'Mean change by day of the week': `SELECT dayname(date) AS day, 100 * avg(close / open - 1) AS mean_change, count(*) AS days
FROM prices GROUP BY day, isodow(date) ORDER BY isodow(date)`,
  'Volatility by hour of the day': `SELECT hour(time) AS hour, 100 * stddev(close / open - 1) AS volatility, sum(volume) AS volume
FROM prices_hourly GROUP BY hour ORDER BY hour`,
  'Correlation of price and addresses by year': `SELECT year(date) AS year, corr(return_1d, active_addresses) AS correlation
FROM metrics_market JOIN metrics_addresses USING (date) GROUP BY year ORDER BY year`,
  'What followed low and high MVRV': `WITH later AS (
  SELECT mvrv, lead(price, 365) OVER (ORDER BY date) / price - 1 AS next_year
  FROM metrics_market JOIN metrics_valuation USING (date))
SELECT ntile, min(mvrv) AS from_mvrv, 100 * median(next_year) AS next_year
FROM (SELECT *, ntile(5) OVER (ORDER BY mvrv) AS ntile FROM later WHERE next_year IS NOT NULL AND mvrv IS NOT NULL)
GROUP BY ntile ORDER BY ntile`,
  'Realized cap of long- and short-term holders': `SELECT date, lth_realized_cap, sth_realized_cap, lth_realized_cap + sth_realized_cap - realized_cap AS rest
FROM metrics_valuation ORDER BY date`,
  'Coins spent in the last year, by year of creation': `SELECT year(created_date) AS created, sum(spent_sats) / 1e8 AS btc, sum(spent_outputs) AS outputs
FROM flows WHERE date > (SELECT max(date) FROM flows) - 365 GROUP BY created ORDER BY created`,
  'Coin days destroyed by month': `SELECT date_trunc('month', date)::DATE AS month, sum(spent_sat_seconds) / 1e8 / 86400 AS coin_days
FROM flows GROUP BY month ORDER BY month`,
  'Script types of outputs by year': `SELECT year(date) AS year, script_type, sum(created_outputs) AS outputs, sum(created_sats) / 1e8 AS btc
FROM created_kinds JOIN kinds USING (kind) GROUP BY year, script_type ORDER BY year, outputs DESC`,
  'Blocks and fees of pools': `SELECT name, sum(blocks) AS blocks, sum(fees_sats) / 1e8 AS fees, min(date) AS first, max(date) AS last
FROM pool_days JOIN pools USING (pool) GROUP BY name ORDER BY blocks DESC`,
  'The longest waits for a block': `SELECT height, time, time - lag(time) OVER (ORDER BY height) AS waited
FROM blocks ORDER BY waited DESC NULLS LAST LIMIT 20`,
  'Fee rates by hour of the day': `SELECT hour(time) AS hour, median(fee_rate_median) AS sats_per_vbyte, count(*) AS blocks
FROM blocks GROUP BY hour ORDER BY hour`,
  'Holdings of funds by issuer': `SELECT issuer, count(*) AS funds, sum(btc_holdings) AS btc, sum(aum_usd) AS usd
FROM etf JOIN etf_registry USING (ticker) WHERE date = (SELECT max(date) FROM etf) GROUP BY issuer ORDER BY btc DESC`,
  'Flows of funds and the price, by week': `SELECT date_trunc('week', date)::DATE AS week, sum(etf_net_flow_usd) AS flow, last(price ORDER BY date) AS price
FROM metrics_etfs JOIN metrics_market USING (date) WHERE etf_net_flow_usd IS NOT NULL GROUP BY week ORDER BY week`,
  'Find metrics by what they are': `SELECT id, name, unit, table_name, column_name, short_description
FROM catalogue WHERE description ILIKE '%dormancy%' AND cohort IS NULL`,
}
