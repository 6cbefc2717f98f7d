-- days: what the blocks of each closed day add up to, and the state after its last block. Days without a block have flows of 0.
-- Only days after one that is known already: `known_day` has the state after that, and nothing where there is none.
-- The macros are those of compute/scan/log-histogram.ts.
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
    sum(work) AS work,
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
  SELECT date, median(seconds) AS median_block_interval
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
),
bins AS (
  SELECT
    date,
    kind,
    bin_lower_edge(bin) AS lower_edge,
    bin_width(bin) AS width,
    sum(count) AS count,
    sum(sum(count)) OVER (PARTITION BY date, kind ORDER BY bin) AS reached,
    sum(sum(count)) OVER (PARTITION BY date, kind) / 2 AS half
  FROM segment_histograms
  WHERE date > getvariable('after_day')
  GROUP BY date, kind, bin
),
-- The median lies in the first bin that reaches half of the count; values are whole numbers, spread evenly over their bin.
medians AS (
  SELECT date, kind, min_by(lower_edge + greatest(width - 1, 0) * (half - (reached - count)) / count, lower_edge) AS median
  FROM bins
  WHERE reached >= half
  GROUP BY date, kind
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
  coins(fees.median) AS median_fee,
  ages.median / 86400 AS median_spent_age,
  average_spent_age,
  coalesce(spent_outputs_under_1h, 0)::BIGINT AS spent_outputs_under_1h,
  median_block_interval,
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
LEFT JOIN medians AS ages ON ages.date = calendar.date AND ages.kind = 0
LEFT JOIN medians AS fees ON fees.date = calendar.date AND fees.kind = 1
WINDOW to_date AS (ORDER BY calendar.date ROWS UNBOUNDED PRECEDING)
ORDER BY date
