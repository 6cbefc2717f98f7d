-- price_sources: what each source says of a day, whether it made the price, and its share of the exchanges' volume.
SELECT
  date,
  source,
  open,
  high,
  low,
  close,
  volume,
  CASE
    WHEN volume_of = 'exchange' THEN volume / sum(volume) FILTER (volume_of = 'exchange') OVER whole_day
  END AS volume_share,
  counted
FROM price_bars
WHERE date <= getvariable('last_day')
-- In a fixed order, so that the same prices give the same last digit.
WINDOW whole_day AS (PARTITION BY date ORDER BY source ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
ORDER BY date, source
