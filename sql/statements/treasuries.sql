-- treasuries: what each entity holds at the end of every closed day since its first report. `source` stands on days of a report.
SELECT
  date,
  entity_id AS id,
  btc_amount,
  total_current_value_usd,
  net_flow_btc,
  cumulative_flow_btc,
  100 * btc_amount / nullif(coins(supply_sats), 0) AS percentage_of_total_supply,
  market_share_pct,
  source
FROM entity_days LEFT JOIN days USING (date)
ORDER BY date, id
