-- days: what the blocks of each closed day add up to, and the state after its last block. Days without a block have flows of 0.
-- Only days after one that is known already: `known_day` has the state after that, and nothing where there is none.
-- `quantiles` has those of the histograms (compute/publish/day-quantiles.ts).
WITH calendar AS (
  SELECT unnest(generate_series(getvariable('after_day') + 1, getvariable('last_day'), INTERVAL 1 DAY))::DATE AS date
),
block_days AS (
  SELECT
    date,
    max(height) AS block_height,
    count(*) AS blocks_mined,
    sum(size) AS size,
    sum(weight) AS weight,
    sum(transactions) AS transactions,
    sum(inputs) AS inputs,
    sum(outputs) AS outputs,
    sum(unspendable_outputs) AS unspendable_outputs,
    sum(op_return_outputs) AS op_return_outputs,
    sum(segwit_outputs) AS segwit_outputs,
    sum(taproot_outputs) AS taproot_outputs,
    sum(coinbase_sats) AS coinbase_sats,
    sum(fees_sats) AS fees_sats,
    sum(issuance_sats) AS issuance_sats,
    sum(unspendable_sats) AS unspendable_sats,
    sum(coinbase_sats - fees_sats + spent_sats - unspendable_sats) AS created_sats,
    sum(outputs - unspendable_outputs) AS created_outputs,
    sum(spent_sats) AS spent_sats,
    count(*) FILTER (transactions = 1) AS empty_blocks,
    sum(version_1_transactions) AS version_1_transactions,
    sum(version_2_transactions) AS version_2_transactions,
    sum(version_3_transactions) AS version_3_transactions,
    sum(locked_transactions) AS locked_transactions,
    sum(replaceable_transactions) AS replaceable_transactions,
    sum(segwit_transactions) AS segwit_transactions,
    sum(taproot_transactions) AS taproot_transactions,
    sum(one_to_one_transactions) AS one_to_one_transactions,
    sum(consolidation_transactions) AS consolidation_transactions,
    sum(batch_transactions) AS batch_transactions,
    sum(coinjoin_like_transactions) AS coinjoin_like_transactions,
    sum(inscription_transactions) AS inscription_transactions,
    sum(runestone_transactions) AS runestone_transactions,
    sum(op_return_transactions) AS op_return_transactions,
    sum(several_op_return_transactions) AS several_op_return_transactions,
    sum(dust_outputs) AS dust_outputs,
    sum(large_op_return_outputs) AS large_op_return_outputs,
    sum(omni_outputs) AS omni_outputs,
    sum(op_return_bytes) AS op_return_bytes,
    sum(adjusted_sats) AS adjusted_sats,
    sum(work ORDER BY height) AS work,
    arg_max(difficulty, height) AS difficulty
  FROM blocks
  WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
  GROUP BY date
),
overwritten_days AS (
  SELECT date, sum(sats) AS overwritten_sats, sum(outputs) AS overwritten_outputs FROM overwritten
  WHERE date > getvariable('after_day') GROUP BY date
),
intervals AS (
  SELECT date, median(seconds) AS median_block_interval, max(seconds) AS max_block_interval
  FROM (SELECT date, height, epoch(time) - lag(epoch(time)) OVER (ORDER BY height) AS seconds FROM blocks
    WHERE height >= coalesce((SELECT block_height FROM known_day), 0))
  WHERE date > getvariable('after_day')
  GROUP BY date
),
spends AS (
  SELECT
    date,
    sum(spent_outputs_under_1h) AS spent_outputs_under_1h,
    (sum(spent_output_seconds) - coalesce(sum(spent_output_seconds_under_1h), 0))
      / nullif(sum(spent_outputs) - coalesce(sum(spent_outputs_under_1h), 0), 0) / 86400 AS average_spent_age
  FROM flows LEFT JOIN young_spends USING (date, created_date)
  WHERE date > getvariable('after_day')
  GROUP BY date
)
SELECT
  date,
  date - DATE '2009-01-03' + 1 AS market_age_days,
  coalesce(last_value(block_days.block_height IGNORE NULLS) OVER to_date, known.block_height)::INTEGER AS block_height,
  coalesce(blocks_mined, 0)::INTEGER AS blocks_mined,
  coalesce(size, 0)::BIGINT AS size,
  coalesce(weight, 0)::BIGINT AS weight,
  coalesce(transactions, 0)::BIGINT AS transactions,
  coalesce(inputs, 0)::BIGINT AS inputs,
  coalesce(outputs, 0)::BIGINT AS outputs,
  coalesce(unspendable_outputs, 0)::BIGINT AS unspendable_outputs,
  coalesce(op_return_outputs, 0)::BIGINT AS op_return_outputs,
  coalesce(segwit_outputs, 0)::BIGINT AS segwit_outputs,
  coalesce(taproot_outputs, 0)::BIGINT AS taproot_outputs,
  coalesce(coinbase_sats, 0)::BIGINT AS coinbase_sats,
  coalesce(fees_sats, 0)::BIGINT AS fees_sats,
  coalesce(issuance_sats, 0)::BIGINT AS issuance_sats,
  coalesce(unspendable_sats, 0)::BIGINT AS unspendable_sats,
  coalesce(created_sats, 0)::BIGINT AS created_sats,
  coalesce(created_outputs, 0)::BIGINT AS created_outputs,
  coalesce(spent_sats, 0)::BIGINT AS spent_sats,
  coalesce(work, 0)::DOUBLE AS work,
  coalesce(last_value(block_days.difficulty IGNORE NULLS) OVER to_date, known.difficulty)::DOUBLE AS difficulty,
  coins(fees_p50) AS median_fee,
  ages_p50 / 86400 AS median_spent_age,
  average_spent_age,
  coalesce(spent_outputs_under_1h, 0)::BIGINT AS spent_outputs_under_1h,
  median_block_interval,
  max_block_interval,
  coalesce(empty_blocks, 0)::INTEGER AS empty_blocks,
  coalesce(version_1_transactions, 0)::BIGINT AS version_1_transactions,
  coalesce(version_2_transactions, 0)::BIGINT AS version_2_transactions,
  coalesce(version_3_transactions, 0)::BIGINT AS version_3_transactions,
  coalesce(locked_transactions, 0)::BIGINT AS locked_transactions,
  coalesce(replaceable_transactions, 0)::BIGINT AS replaceable_transactions,
  coalesce(segwit_transactions, 0)::BIGINT AS segwit_transactions,
  coalesce(taproot_transactions, 0)::BIGINT AS taproot_transactions,
  coalesce(one_to_one_transactions, 0)::BIGINT AS one_to_one_transactions,
  coalesce(consolidation_transactions, 0)::BIGINT AS consolidation_transactions,
  coalesce(batch_transactions, 0)::BIGINT AS batch_transactions,
  coalesce(coinjoin_like_transactions, 0)::BIGINT AS coinjoin_like_transactions,
  coalesce(inscription_transactions, 0)::BIGINT AS inscription_transactions,
  coalesce(runestone_transactions, 0)::BIGINT AS runestone_transactions,
  coalesce(op_return_transactions, 0)::BIGINT AS op_return_transactions,
  coalesce(several_op_return_transactions, 0)::BIGINT AS several_op_return_transactions,
  coalesce(dust_outputs, 0)::BIGINT AS dust_outputs,
  coalesce(large_op_return_outputs, 0)::BIGINT AS large_op_return_outputs,
  coalesce(omni_outputs, 0)::BIGINT AS omni_outputs,
  coalesce(op_return_bytes, 0)::BIGINT AS op_return_bytes,
  coalesce(adjusted_sats, 0)::BIGINT AS adjusted_sats,
  coins(fees_p10) AS fee_p10,
  coins(fees_p25) AS fee_p25,
  coins(fees_p75) AS fee_p75,
  coins(fees_p90) AS fee_p90,
  rates_p10 / 1000 AS fee_rate_p10,
  rates_p25 / 1000 AS fee_rate_p25,
  rates_p50 / 1000 AS fee_rate_median,
  rates_p75 / 1000 AS fee_rate_p75,
  rates_p90 / 1000 AS fee_rate_p90,
  coins(created_p10) AS created_value_p10,
  coins(created_p25) AS created_value_p25,
  coins(created_p50) AS created_value_median,
  coins(created_p75) AS created_value_p75,
  coins(created_p90) AS created_value_p90,
  coins(spent_p10) AS spent_value_p10,
  coins(spent_p25) AS spent_value_p25,
  coins(spent_p50) AS spent_value_median,
  coins(spent_p75) AS spent_value_p75,
  coins(spent_p90) AS spent_value_p90,
  coins(transfers_p10) AS transfer_value_p10,
  coins(transfers_p25) AS transfer_value_p25,
  coins(transfers_p50) AS transfer_value_median,
  coins(transfers_p75) AS transfer_value_p75,
  coins(transfers_p90) AS transfer_value_p90,
  (known.supply_sats
    + sum(coalesce(issuance_sats, 0) - coalesce(unspendable_sats, 0) - coalesce(overwritten_sats, 0)) OVER to_date)::BIGINT
    AS supply_sats,
  (known.utxo_count + sum(
    coalesce(outputs, 0) - coalesce(unspendable_outputs, 0) - coalesce(inputs, 0) - coalesce(overwritten_outputs, 0)
  ) OVER to_date)::BIGINT AS utxo_count
FROM calendar
CROSS JOIN known_day AS known
LEFT JOIN block_days USING (date)
LEFT JOIN overwritten_days USING (date)
LEFT JOIN intervals USING (date)
LEFT JOIN spends USING (date)
LEFT JOIN quantiles USING (date)
WINDOW to_date AS (ORDER BY calendar.date ROWS UNBOUNDED PRECEDING)
ORDER BY date
