/**
 * Bitcoin Core's `CompressAmount` (`compressor.cpp`): trailing decimal zeros become an exponent.
 * A bigint where the result passes 2^53 (odd amounts above about 10 million bitcoin).
 */
export function compressAmount(sats: number): number | bigint {
  if (sats === 0) return 0
  let mantissa = sats
  let exponent = 0
  while (exponent < 9 && mantissa % 10 === 0) {
    mantissa /= 10
    exponent++
  }
  if (exponent === 9) return 1 + (mantissa - 1) * 10 + 9
  const digit = mantissa % 10
  const head = (mantissa - digit) / 10
  const compressed = 1 + (head * 9 + digit - 1) * 10 + exponent
  return Number.isSafeInteger(compressed)
    ? compressed
    : 1n + (BigInt(head) * 9n + BigInt(digit - 1)) * 10n + BigInt(exponent)
}
