-- prices: a row per day from the first priced one on. Closed days only. The table is made by ingest/market/merged-bars.ts.
SELECT date, open, high, low, close, volume, sources, source, disagreement
FROM prices_merged
WHERE date <= getvariable('last_day')
ORDER BY date
