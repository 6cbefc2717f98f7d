-- Flow rows of one segment, from the typed arrays of a scan. Sat-seconds keep their two limbs until all segments are
-- merged: adding up 64-bit integers is ten times faster than 128-bit ones. The macro is that of compute/scan/limbs.ts.
SELECT
  DATE '1970-01-01' + day::INTEGER AS date,
  DATE '1970-01-01' + created_day::INTEGER AS created_date,
  from_limbs(spent_sats_high, spent_sats_low)::BIGINT AS spent_sats,
  spent_outputs::BIGINT AS spent_outputs,
  sat_seconds_low::BIGINT AS sat_seconds_low,
  sat_seconds_high::BIGINT AS sat_seconds_high,
  output_seconds::BIGINT AS output_seconds
FROM scanned_flows
ORDER BY date, created_date
