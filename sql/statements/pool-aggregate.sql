-- How the blocks of a day are shared among pools. Shares are of all blocks, of which those of unknown pools belong to none.
SELECT
  date,
  count(pool) AS pools,
  100 * coalesce(list_sum(list_reverse_sort(list(blocks))[1:3]), 0) / nullif(blocks_mined, 0) AS top_percent,
  coalesce(sum(blocks * blocks), 0) / nullif(blocks_mined, 0) ** 2 AS herfindahl,
  100 * (blocks_mined - coalesce(sum(blocks), 0)) / nullif(blocks_mined, 0) AS unknown_percent
FROM days LEFT JOIN pool_days USING (date)
GROUP BY date, blocks_mined
