-- Block rows of one segment, from the typed arrays of a scan. The macro is that of compute/scan/limbs.ts.
SELECT
  height::INTEGER AS height,
  time::BIGINT AS time,
  bits::UINTEGER AS bits,
  size::INTEGER AS size,
  weight::INTEGER AS weight,
  transactions::INTEGER AS transactions,
  inputs::INTEGER AS inputs,
  outputs::INTEGER AS outputs,
  unspendable_sats::BIGINT AS unspendable_sats,
  unspendable_outputs::INTEGER AS unspendable_outputs,
  op_return_outputs::INTEGER AS op_return_outputs,
  segwit_outputs::INTEGER AS segwit_outputs,
  taproot_outputs::INTEGER AS taproot_outputs,
  coinbase_sats::BIGINT AS coinbase_sats,
  fees_sats::BIGINT AS fees_sats,
  from_limbs(spent_sats_high, spent_sats_low)::BIGINT AS spent_sats
FROM scanned_blocks
ORDER BY height
