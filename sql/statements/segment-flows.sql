-- Flow rows of one segment, from the typed arrays of a scan. Sat-seconds come in two limbs of 2^50.
SELECT
  DATE '1970-01-01' + day::INTEGER AS date,
  DATE '1970-01-01' + created_day::INTEGER AS created_date,
  created_sats::BIGINT AS created_sats,
  created_outputs::BIGINT AS created_outputs,
  spent_sats::BIGINT AS spent_sats,
  spent_outputs::BIGINT AS spent_outputs,
  (sat_seconds_high::HUGEINT * (1::HUGEINT << 50) + sat_seconds_low::HUGEINT)::DECIMAL(38, 0) AS spent_sat_seconds,
  output_seconds::BIGINT AS spent_output_seconds,
  spent_sats_under_1h::BIGINT AS spent_sats_under_1h,
  spent_outputs_under_1h::BIGINT AS spent_outputs_under_1h,
  (sat_seconds_under_1h_high::HUGEINT * (1::HUGEINT << 50) + sat_seconds_under_1h_low::HUGEINT)::DECIMAL(38, 0)
    AS spent_sat_seconds_under_1h,
  output_seconds_under_1h::BIGINT AS spent_output_seconds_under_1h,
  spent_sats_under_24h::BIGINT AS spent_sats_under_24h,
  spent_outputs_under_24h::BIGINT AS spent_outputs_under_24h,
  (sat_seconds_under_24h_high::HUGEINT * (1::HUGEINT << 50) + sat_seconds_under_24h_low::HUGEINT)::DECIMAL(38, 0)
    AS spent_sat_seconds_under_24h,
  output_seconds_under_24h::BIGINT AS spent_output_seconds_under_24h
FROM scanned_flows
ORDER BY date, created_date
