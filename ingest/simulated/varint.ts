import type { ByteWriter } from './byte-writer.ts'

const digits = new Uint8Array(10)

/**
 * Bitcoin Core's VARINT (`serialize.h`): base 128, most significant digit first, with one subtracted from each digit
 * but the last so that every number has one form. `value` is a whole number ≥ 0, below 2^53 or a bigint below 2^64.
 */
export function writeVarint(writer: ByteWriter, value: number | bigint): void {
  let length = 0
  let rest = value
  while (typeof rest === 'bigint') {
    if (rest <= Number.MAX_SAFE_INTEGER) {
      rest = Number(rest)
    } else {
      digits[length++] = Number(rest & 0x7fn)
      rest = (rest >> 7n) - 1n
    }
  }
  while (rest > 0x7f) {
    digits[length++] = rest % 128
    rest = Math.floor(rest / 128) - 1
  }
  digits[length] = rest
  for (let i = length; i > 0; i--) writer.uint8(digits[i]! | 0x80)
  writer.uint8(digits[0]!)
}
