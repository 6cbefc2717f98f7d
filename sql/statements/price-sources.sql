-- price_sources: what each source says of a day, whether it made the price, and its share of the exchanges' volume.
WITH
  exchange_volumes AS (
    -- In a fixed order, so that the same prices give the same last digit. A window over each day would take ten times as long.
    SELECT date, sum(volume ORDER BY source) FILTER (volume_of = 'exchange') AS exchanges_volume
    FROM price_bars
    GROUP BY date
  )
SELECT
  date,
  source,
  open,
  high,
  low,
  close,
  volume,
  CASE WHEN volume_of = 'exchange' THEN volume / exchanges_volume END AS volume_share,
  counted
FROM price_bars
JOIN exchange_volumes USING (date)
WHERE date <= getvariable('last_day')
ORDER BY date, source
