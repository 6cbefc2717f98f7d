-- prices: a row per day from the first priced one on. Closed days only. What it reads is made by ingest/market/merged-bars.ts.
WITH sessions AS (
  SELECT
    time::DATE AS date,
    max(close) FILTER (hour(time) = 7) AS asia_close,
    max(close) FILTER (hour(time) = 15) AS europe_close
  FROM merged_hours
  GROUP BY ALL
)
SELECT date, open, high, low, close, volume, sources, source, disagreement, asia_close, europe_close
FROM merged_prices LEFT JOIN sessions USING (date)
WHERE date <= getvariable('last_day')
ORDER BY date
