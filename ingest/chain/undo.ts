import { maxMoneySats } from './block.ts'
import type { ByteReader } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'

/** A creation height of 0: the undo record was written by a Bitcoin Core older than 0.15, which left heights out. */
export class OutdatedUndoError extends Error {
  override readonly name = 'OutdatedUndoError'
}

/** Bytes that follow the size of a compressed script of the six special kinds (Bitcoin Core, compressor.cpp). */
const specialScriptBytes = [20, 20, 32, 32, 32, 32]

/**
 * Decodes an undo record (the spent outputs of the block already in `block`) from `reader`, which must span it exactly,
 * without its checksum. Throws a RangeError where the bytes do not form the undo record of this block.
 */
export function decodeUndo(reader: ByteReader, block: DecodedBlock): void {
  const spendingTransactions = reader.compactSize()
  if (spendingTransactions !== block.transactionCount - 1) {
    throw new RangeError(`has ${spendingTransactions} spending transactions, its block ${block.transactionCount - 1}`)
  }
  let spent = 0
  for (let transaction = 1; transaction <= spendingTransactions; transaction++) {
    const inputs = reader.compactSize()
    if (inputs !== block.inputCounts[transaction]) {
      throw new RangeError(
        `has ${inputs} inputs for transaction ${transaction}, its block ${block.inputCounts[transaction]}`,
      )
    }
    block.reserveSpent(spent + inputs)
    for (let i = 0; i < inputs; i++, spent++) {
      const code = varint(reader)
      // The lowest bit says whether the output came from a coinbase.
      const height = code >>> 1
      if (height === 0) throw new OutdatedUndoError(`transaction ${transaction} spends an output of unknown height`)
      // A transaction version stood here before Bitcoin Core 0.15.
      varint(reader)
      const sats = amount(reader)
      if (sats > maxMoneySats) throw new RangeError(`a spent output of ${sats} satoshis is more than can exist`)
      block.spentHeights[spent] = height
      block.spentSats[spent] = sats
      const scriptSize = varint(reader)
      reader.skip(scriptSize < 6 ? specialScriptBytes[scriptSize]! : scriptSize - 6)
    }
  }
  if (reader.position !== reader.end) {
    throw new RangeError(`${reader.end - reader.position} bytes follow the last spent output`)
  }
  block.spentCount = spent
}

/** Bitcoin Core's own base-128 number: high groups first, each but the last with its high bit set and one added. */
export function varint(reader: ByteReader): number {
  let byte = reader.uint8()
  let value = byte & 0x7f
  while (byte >= 0x80) {
    // Heights and script sizes stay far below 2^32; a larger height would not fit into its column.
    if (value >= 2 ** 25 - 1) throw new RangeError(`a number at offset ${reader.position} is too large`)
    byte = reader.uint8()
    value = ((value + 1) * 128) | (byte & 0x7f)
  }
  return value >>> 0
}

const powersOfTen = Float64Array.from({ length: 10 }, (_, exponent) => 10 ** exponent)

/** A compressed amount in satoshis (Bitcoin Core, DecompressAmount). */
export function amount(reader: ByteReader): number {
  let byte = reader.uint8()
  let value = byte & 0x7f
  while (byte >= 0x80) {
    // Most amounts take four bytes or fewer, and integer arithmetic.
    if (value >= 2 ** 21) return longAmount(reader, value)
    byte = reader.uint8()
    value = ((value + 1) << 7) | (byte & 0x7f)
  }
  if (value === 0) return 0
  value -= 1
  const tenth = (value / 10) | 0
  const exponent = value - 10 * tenth
  if (exponent === 9) return (tenth + 1) * 1e9
  const ninth = (tenth / 9) | 0
  const digits = ninth * 10 + (tenth - 9 * ninth) + 1
  return exponent === 0 ? digits : digits * powersOfTen[exponent]!
}

/**
 * The rest of an amount whose first groups are `high`. The compressed form is up to nine times larger than the amount
 * and may pass 2^53, so it is divided by ten while its last seven bits are still apart.
 */
function longAmount(reader: ByteReader, first: number): number {
  let high = first + 1
  let low = reader.uint8()
  while (low >= 0x80) {
    high = high * 128 + (low & 0x7f) + 1
    if (high > 2 ** 48) throw new RangeError(`an amount at offset ${reader.position} is too large`)
    low = reader.uint8()
  }
  const highTenth = Math.floor(high / 10)
  const rest = (high - 10 * highTenth) * 128 + low - 1
  const restTenth = Math.floor(rest / 10)
  const exponent = rest - 10 * restTenth
  const number = highTenth * 128 + restTenth
  if (exponent === 9) return (number + 1) * 1e9
  const ninth = Math.floor(number / 9)
  const lastDigit = number - 9 * ninth + 1
  return (ninth * 10 + lastDigit) * powersOfTen[exponent]!
}
