-- cycle_performance: every day of every confirmed cycle, and its price over the price on the cycle's first day.
SELECT
  family,
  cycle,
  date,
  (date - start_date)::INTEGER AS day_offset,
  prices.close / nullif(start_price, 0) AS performance
FROM (
  SELECT
    family,
    cycle,
    start_date,
    start_price,
    coalesce(lead(start_date) OVER (PARTITION BY family ORDER BY cycle) - 1, getvariable('last_day')) AS end_date
  FROM cycles
  WHERE NOT provisional
) AS confirmed
JOIN days ON days.date BETWEEN start_date AND end_date
LEFT JOIN prices USING (date)
ORDER BY family, cycle, date
