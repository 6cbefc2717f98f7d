-- Spends of outputs younger than 24 hours of one segment, from the typed arrays of a scan. The macro is that of
-- compute/scan/limbs.ts.
SELECT
  DATE '1970-01-01' + day::INTEGER AS date,
  DATE '1970-01-01' + created_day::INTEGER AS created_date,
  from_limbs(spent_sats_high_under_1h, spent_sats_low_under_1h)::BIGINT AS spent_sats_under_1h,
  COLUMNS(c -> c LIKE '%_under_1h' AND c NOT LIKE 'spent_sats_%')::BIGINT,
  from_limbs(spent_sats_high_under_24h, spent_sats_low_under_24h)::BIGINT AS spent_sats_under_24h,
  COLUMNS(c -> c LIKE '%_under_24h' AND c NOT LIKE 'spent_sats_%')::BIGINT
FROM scanned_young_spends
ORDER BY date, created_date
