-- cycles: by family (halving, ath, low) the stretches of days that begin with a halving, a top or a low. The running cycle has no end.
SELECT
  family,
  cycle,
  start_date,
  lead(start_date) OVER one_family - 1 AS end_date,
  (coalesce(lead(start_date) OVER one_family, getvariable('last_day') + 1) - start_date)::INTEGER AS duration_days,
  -- The halving block itself; a top or low is a close, which stands at the day's last block.
  CASE
    WHEN family = 'halving' THEN (cycle - 1) * getvariable('halving_interval')
    ELSE days.block_height
  END::INTEGER AS start_height,
  prices.close AS start_price,
  provisional
FROM cycle_starts
JOIN days ON days.date = start_date
LEFT JOIN prices ON prices.date = start_date
WINDOW one_family AS (PARTITION BY family ORDER BY cycle)
ORDER BY family, cycle
