-- Spends of coins of the day itself or of the day before of one segment, by hours since 1970, from the typed arrays of a
-- scan. The macro is that of compute/scan/limbs.ts.
SELECT
  hour::INTEGER AS hour,
  created_hour::INTEGER AS created_hour,
  from_limbs(spent_sats_high, spent_sats_low)::BIGINT AS spent_sats,
  from_limbs(spent_sats_high_under_1h, spent_sats_low_under_1h)::BIGINT AS spent_sats_under_1h,
  COLUMNS(c -> c LIKE '%_under_1h' AND c NOT LIKE 'spent_sats_%')::BIGINT,
  from_limbs(spent_sats_high_under_24h, spent_sats_low_under_24h)::BIGINT AS spent_sats_under_24h,
  COLUMNS(c -> c LIKE '%_under_24h' AND c NOT LIKE 'spent_sats_%')::BIGINT
FROM scanned_young_spends
ORDER BY hour, created_hour
