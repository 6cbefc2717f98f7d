-- prices_hourly: a row per hour from the first priced one on, of closed days. merged_hours is made by ingest/market/merged-bars.ts.
SELECT time, open, high, low, close, volume, sources, source, disagreement
FROM merged_hours
WHERE time::DATE <= getvariable('last_day')
ORDER BY time
