-- flows: what each day created, spent or overwrote of the coins of each creation day. Closed days only.
SELECT
  date,
  created_date,
  coalesce(sum(created_sats), 0)::BIGINT AS created_sats,
  coalesce(sum(created_outputs), 0)::BIGINT AS created_outputs,
  coalesce(sum(spent_sats), 0)::BIGINT AS spent_sats,
  coalesce(sum(spent_outputs), 0)::BIGINT AS spent_outputs,
  coalesce(sum(spent_sat_seconds), 0)::DECIMAL(38, 0) AS spent_sat_seconds,
  coalesce(sum(spent_output_seconds), 0)::BIGINT AS spent_output_seconds,
  coalesce(sum(spent_sats_under_1h), 0)::BIGINT AS spent_sats_under_1h,
  coalesce(sum(spent_outputs_under_1h), 0)::BIGINT AS spent_outputs_under_1h,
  coalesce(sum(spent_sat_seconds_under_1h), 0)::DECIMAL(38, 0) AS spent_sat_seconds_under_1h,
  coalesce(sum(spent_output_seconds_under_1h), 0)::BIGINT AS spent_output_seconds_under_1h,
  coalesce(sum(spent_sats_under_24h), 0)::BIGINT AS spent_sats_under_24h,
  coalesce(sum(spent_outputs_under_24h), 0)::BIGINT AS spent_outputs_under_24h,
  coalesce(sum(spent_sat_seconds_under_24h), 0)::DECIMAL(38, 0) AS spent_sat_seconds_under_24h,
  coalesce(sum(spent_output_seconds_under_24h), 0)::BIGINT AS spent_output_seconds_under_24h,
  coalesce(sum(overwritten_sats), 0)::BIGINT AS overwritten_sats,
  coalesce(sum(overwritten_outputs), 0)::BIGINT AS overwritten_outputs
FROM (
  SELECT * FROM segment_flows
  UNION ALL BY NAME
  SELECT date, created_date, sats AS overwritten_sats, outputs AS overwritten_outputs FROM overwritten
)
WHERE date <= getvariable('last_day')
GROUP BY date, created_date
ORDER BY date, created_date
