-- Blocks of each pool by day, from its first block on, with 0 on days without one.
SELECT date, pool, coalesce(pool_days.blocks, 0) AS blocks
FROM days
JOIN (SELECT pool, min(date) AS first_date FROM pool_days GROUP BY pool) ON date >= first_date
LEFT JOIN pool_days USING (date, pool)
