-- Spends of outputs younger than 24 hours of one segment, from the typed arrays of a scan.
SELECT
  DATE '1970-01-01' + day::INTEGER AS date,
  DATE '1970-01-01' + created_day::INTEGER AS created_date,
  COLUMNS(* EXCLUDE (day, created_day))::BIGINT
FROM scanned_young_spends
ORDER BY date, created_date
