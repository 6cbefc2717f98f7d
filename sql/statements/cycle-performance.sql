-- cycle_performance: every day of every cycle, and its price over the price on the cycle's first day.
SELECT
  family,
  cycle,
  date,
  (date - start_date)::INTEGER AS day_offset,
  prices.close / nullif(start_price, 0) AS performance
FROM cycles
JOIN days ON days.date BETWEEN start_date AND coalesce(end_date, getvariable('last_day'))
LEFT JOIN prices USING (date)
ORDER BY family, cycle, date
