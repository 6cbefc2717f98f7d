-- blocks: every block of the chain after a height, up to the tip. `date` is that of the running maximum of header times.
-- A target that its compact form can have in a valid header is below 2^31 in it, and Spark's readers know no type without a sign.
SELECT
  height,
  hash,
  make_timestamp(time * 1000000) AS time,
  date,
  bits::INTEGER AS bits,
  65535 / (bits & 8388607) * pow(256::DOUBLE, 29 - (bits >> 24)::INTEGER) AS difficulty,
  pow(2::DOUBLE, 256) / ((bits & 8388607) * pow(256::DOUBLE, (bits >> 24)::INTEGER - 3) + 1) AS work,
  size,
  weight,
  transactions,
  inputs,
  outputs,
  unspendable_outputs,
  op_return_outputs,
  segwit_outputs,
  taproot_outputs,
  coinbase_sats,
  fees_sats,
  (coinbase_sats - fees_sats)::BIGINT AS issuance_sats,
  unspendable_sats,
  spent_sats
FROM segment_blocks JOIN chain USING (height)
WHERE height > getvariable('after_height')
ORDER BY height
