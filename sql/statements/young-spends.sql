-- young_spends: of the flows, what was spent at an age below one hour, and below 24 hours. Closed days after a day only.
-- The macros are those of compute/scan/limbs.ts.
SELECT
  DATE '1970-01-01' + hour // 24 AS date,
  DATE '1970-01-01' + created_hour // 24 AS created_date,
  sum(spent_sats_under_1h)::BIGINT AS spent_sats_under_1h,
  sum(spent_outputs_under_1h)::BIGINT AS spent_outputs_under_1h,
  from_limbs(sum(sat_seconds_high_under_1h), sum(sat_seconds_low_under_1h))::DECIMAL(38, 0) AS spent_sat_seconds_under_1h,
  sum(output_seconds_under_1h)::BIGINT AS spent_output_seconds_under_1h,
  sum(spent_sats_under_24h)::BIGINT AS spent_sats_under_24h,
  sum(spent_outputs_under_24h)::BIGINT AS spent_outputs_under_24h,
  from_limbs(sum(sat_seconds_high_under_24h), sum(sat_seconds_low_under_24h))::DECIMAL(38, 0) AS spent_sat_seconds_under_24h,
  sum(output_seconds_under_24h)::BIGINT AS spent_output_seconds_under_24h
FROM segment_young_spends
WHERE spent_outputs_under_24h > 0
  AND hour >= 24 * (getvariable('after_day') + 1 - DATE '1970-01-01')
  AND hour < 24 * (getvariable('last_day') + 1 - DATE '1970-01-01')
GROUP BY ALL
ORDER BY date, created_date
