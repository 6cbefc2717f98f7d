-- Histogram rows of one segment, from the typed arrays of a scan.
SELECT
  DATE '1970-01-01' + day::INTEGER AS date,
  kind::INTEGER AS kind,
  bin::INTEGER AS bin,
  count::BIGINT AS count
FROM scanned_histograms
ORDER BY date, kind, bin
