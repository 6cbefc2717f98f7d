-- prices: a row per day from the first priced one on. Closed days only. What it reads is made by ingest/market/merged-bars.ts.
SELECT date, open, high, low, close, volume, sources, source, disagreement
FROM merged_prices
WHERE date <= getvariable('last_day')
ORDER BY date
