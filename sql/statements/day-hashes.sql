-- day_hashes: SHA-256 of the rows of each day. A row is a line: its columns as text, with commas between them; lines have LF between them.
-- Columns that the chain does not decide exactly are left out: all DOUBLE columns, and the pool of a block. NULL is left out, with its comma.
WITH flow_hashes AS (
  SELECT date, sha256(string_agg(concat_ws(',',
      date, created_date, spent_sats, spent_outputs, spent_sat_seconds, spent_output_seconds
  ), chr(10) ORDER BY created_date)) AS flows
  FROM flows GROUP BY date
),
block_hashes AS (
  SELECT date, sha256(string_agg(concat_ws(',',
      height, hash, time, date, bits, size, weight, transactions, inputs, outputs, unspendable_outputs,
      op_return_outputs, segwit_outputs, taproot_outputs, coinbase_sats, fees_sats, issuance_sats,
      unspendable_sats, spent_sats, supply_sats, version_1_transactions, version_2_transactions,
      version_3_transactions, locked_transactions, replaceable_transactions, segwit_transactions,
      taproot_transactions, one_to_one_transactions, consolidation_transactions, batch_transactions,
      coinjoin_like_transactions, inscription_transactions, runestone_transactions, op_return_transactions,
      several_op_return_transactions, dust_outputs, large_op_return_outputs, omni_outputs, op_return_bytes,
      adjusted_sats
  ), chr(10) ORDER BY height)) AS blocks
  FROM blocks GROUP BY date
),
hashes_of_days AS (
  SELECT date, sha256(concat_ws(',',
      date, market_age_days, block_height, blocks_mined, size, weight, transactions, inputs, outputs,
      unspendable_outputs, op_return_outputs, segwit_outputs, taproot_outputs, coinbase_sats, fees_sats,
      issuance_sats, unspendable_sats, created_sats, created_outputs, spent_sats, spent_outputs_under_1h,
      empty_blocks, version_1_transactions, version_2_transactions, version_3_transactions, locked_transactions,
      replaceable_transactions, segwit_transactions, taproot_transactions, one_to_one_transactions,
      consolidation_transactions, batch_transactions, coinjoin_like_transactions, inscription_transactions,
      runestone_transactions, op_return_transactions, several_op_return_transactions, dust_outputs,
      large_op_return_outputs, omni_outputs, op_return_bytes, adjusted_sats, supply_sats, utxo_count
  )) AS days
  FROM days
),
price_hashes AS (
  SELECT date, sha256(concat(date, ',', format('{:.8e}', close))) AS prices
  FROM prices
),
-- Nine significant digits.
metric_hashes AS (
  SELECT date, sha256(concat(date, ',',
    format('{:.8e}', realized_cap), ',', format('{:.8e}', unrealized_profit), ',', format('{:.8e}', unrealized_loss), ',',
    format('{:.8e}', spent_volume_usd), ',', format('{:.8e}', realized_profit), ',', format('{:.8e}', realized_loss)
  )) AS metrics
  FROM cohorts WHERE cohort = 'all'
)
SELECT
  date,
  -- On a day without rows: of no bytes.
  coalesce(flows, sha256('')) AS flows,
  coalesce(blocks, sha256('')) AS blocks,
  days,
  prices,
  if(prices IS NULL, NULL, metrics) AS metrics
FROM hashes_of_days
LEFT JOIN flow_hashes USING (date)
LEFT JOIN block_hashes USING (date)
LEFT JOIN price_hashes USING (date)
LEFT JOIN metric_hashes USING (date)
WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
ORDER BY date
