-- fine_flows: all that the scan tells apart of what some closed days spent, those after a day up to another. What is known by the hour
-- is taken from what is known by the day, so that each part of a flow stands in one row. The macro is that of compute/scan/limbs.ts.
WITH hours AS (
  SELECT
    hour,
    created_hour,
    sum(spent_sats) AS sats,
    sum(spent_sats_under_1h) AS sats_1h,
    sum(spent_outputs_under_1h) AS outputs_1h,
    from_limbs(sum(sat_seconds_high_under_1h), sum(sat_seconds_low_under_1h)) AS sat_seconds_1h,
    sum(output_seconds_under_1h) AS output_seconds_1h,
    sum(spent_sats_under_24h) AS sats_24h,
    sum(spent_outputs_under_24h) AS outputs_24h,
    from_limbs(sum(sat_seconds_high_under_24h), sum(sat_seconds_low_under_24h)) AS sat_seconds_24h,
    sum(output_seconds_under_24h) AS output_seconds_24h
  FROM segment_young_spends
  WHERE hour >= 24 * (getvariable('after_day') + 1 - DATE '1970-01-01')
    AND hour < 24 * (getvariable('last_day') + 1 - DATE '1970-01-01')
  GROUP BY hour, created_hour
),
by_hour AS (
  SELECT hour, created_hour, 0 AS age_hours, sats_1h AS sats, outputs_1h AS outputs,
    sat_seconds_1h AS sat_seconds, output_seconds_1h AS output_seconds
  FROM hours WHERE outputs_1h > 0
  UNION ALL
  SELECT hour, created_hour, 1, sats_24h - sats_1h, outputs_24h - outputs_1h,
    sat_seconds_24h - sat_seconds_1h, output_seconds_24h - output_seconds_1h
  FROM hours WHERE outputs_24h > outputs_1h
  UNION ALL
  SELECT hour, created_hour, 24, sats - sats_24h, NULL, NULL, NULL
  FROM hours WHERE sats > sats_24h
),
told AS (
  SELECT DATE '1970-01-01' + hour // 24 AS date, DATE '1970-01-01' + created_hour // 24 AS created_date,
    sum(sats) AS sats, coalesce(sum(outputs), 0) AS outputs,
    coalesce(sum(sat_seconds), 0) AS sat_seconds, coalesce(sum(output_seconds), 0) AS output_seconds
  FROM by_hour GROUP BY ALL
)
SELECT
  DATE '1970-01-01' + hour // 24 AS date,
  DATE '1970-01-01' + created_hour // 24 AS created_date,
  'hour' AS span,
  TIMESTAMP '1970-01-01' + to_hours(hour) AS time,
  TIMESTAMP '1970-01-01' + to_hours(created_hour) AS created_time,
  age_hours,
  sats::BIGINT AS spent_sats,
  outputs::BIGINT AS spent_outputs,
  sat_seconds::DECIMAL(38, 0) AS spent_sat_seconds,
  output_seconds::BIGINT AS spent_output_seconds
FROM by_hour
UNION ALL
SELECT
  date,
  created_date,
  'day',
  date::TIMESTAMP,
  created_date::TIMESTAMP,
  24,
  if(told.date IS NULL, spent_sats, NULL),
  (spent_outputs - coalesce(told.outputs, 0))::BIGINT,
  (spent_sat_seconds::HUGEINT - coalesce(told.sat_seconds, 0))::DECIMAL(38, 0),
  (spent_output_seconds - coalesce(told.output_seconds, 0))::BIGINT
FROM (FROM flows WHERE date > getvariable('after_day') AND date <= getvariable('last_day')) AS flows
LEFT JOIN told USING (date, created_date)
WHERE spent_outputs != coalesce(told.outputs, 0)
ORDER BY date, created_date, span, time, created_time, age_hours
