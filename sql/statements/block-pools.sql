-- block_pools: the mining pool of each block after a height, for blocks of known pools: the first pool of the list that the
-- coinbase pays; if it pays none, the first with a tag in the text of the coinbase, in any case. `place` is that in the list.
WITH coinbases AS (
  SELECT height, lower(text) AS text, string_split(payouts, ',') AS scripts FROM segment_coinbases
  WHERE height > getvariable('after_height')
),
paid AS (
  SELECT height, min(place) AS place
  FROM (SELECT height, unnest(scripts) AS script FROM coinbases) JOIN pool_marks USING (script)
  GROUP BY height
),
tagged AS (
  SELECT height, min(place) AS place
  FROM (FROM coinbases ANTI JOIN paid USING (height)) JOIN pool_marks ON contains(text, lower(tag))
  GROUP BY height
)
SELECT height, pool
FROM (FROM paid UNION ALL FROM tagged) JOIN (SELECT DISTINCT place, pool FROM pool_marks) USING (place)
