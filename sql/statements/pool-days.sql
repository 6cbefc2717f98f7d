-- pool_days: what the blocks of each known pool add up to by closed day. Only days after one that is known already.
SELECT
  date,
  pool,
  count(*)::INTEGER AS blocks,
  sum(fees_sats)::BIGINT AS fees_sats,
  sum(coinbase_sats)::BIGINT AS coinbase_sats
FROM blocks
WHERE pool IS NOT NULL AND date > getvariable('after_day') AND date <= getvariable('last_day')
GROUP BY date, pool
ORDER BY date, pool
