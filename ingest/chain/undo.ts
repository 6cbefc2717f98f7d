import { maxMoneySats } from '#base/bitcoin.ts'
import { toKind } from '#contract/kinds.ts'
import { writeFormIdentity, writeIdentity } from './address-identity.ts'
import { type ByteReader, noKey } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { scriptTypeAt, sizeOf, typeOfForm } from './output-kind.ts'

/** Undo records of Bitcoin Core before 0.15 have creation heights of 0. */
export class OutdatedUndoError extends Error {
  override readonly name = 'OutdatedUndoError'
}

/*
 * An undo record as Bitcoin Core has written it since 0.15 (`undo.h`, `compressor.h`, `serialize.h`):
 *
 *   record        transactions but the coinbase: CompactSize
 *   transaction   └─ inputs: CompactSize
 *   spent output     └─ ┌────────────────────┬────────────┬─────────────────────┬────────────────┬────────────┐
 *                       │ 2·height+coinbase  │ 00, once a │ compressed amount   │ script size    │ compressed │
 *                       │ varint, 1–4 bytes  │ tx version │ varint, 1–9 bytes   │ varint, 1–3    │ script     │
 *                       └────────────────────┴────────────┴─────────────────────┴────────────────┴────────────┘
 *   varint        high groups of seven bits first: 1xxxxxxx 1xxxxxxx … 0xxxxxxx, and one added for each 1 in front
 *   compressed    0                          for 0 satoshis
 *   amount        1 + 10·(9·n + d − 1) + e   for (10·n + d) · 10^e satoshis, with a last digit d of 1 to 9 and e below 9
 *                 1 + 10·(n − 1) + 9         for n · 10^9 satoshis
 *
 * Spent outputs are decoded in two ways. `decodeSpent` reads the usual ones as words, and their amounts by
 * `decompressAmount`; what it cannot read so goes through `decodeSlowly`, byte by byte, with `readVarint` and `readAmount`.
 */

/**
 * Bytes of a compressed script by its size prefix: six special forms (compressor.cpp), then any
 * script.
 */
const scriptBytes = Uint8Array.from({ length: 128 }, (_, size) => [20, 20, 32, 32, 32, 32][size] ?? size - 6)

/**
 * Decodes the undo record that spans `reader` (without checksum) into the already decoded `block`.
 * Throws `RangeError` if it is another block's.
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
    decodeSpent(reader, block, spent, spent + inputs)
    spent += inputs
  }
  if (reader.position !== reader.end) {
    throw new RangeError(`${reader.end - reader.position} bytes follow the last spent output`)
  }
  block.spentCount = spent
}

/**
 * Maximum read-ahead of the fast path: a height of four bytes, a zero, an amount of two words, a
 * script size.
 */
const fastPathBytes = 4 + 1 + 8 + 1

/**
 * Decodes spent outputs `from` up to `to`. Their numbers have random lengths, which a branch per
 * byte mispredicts, so common forms are read as words and decoded without branches.
 */
function decodeSpent(reader: ByteReader, block: DecodedBlock, from: number, to: number): void {
  const { bytes, view, end } = reader
  const { spentHeights, spentSats, spentKinds } = block
  const identities = block.hasIdentities ? block.spentIdentities : undefined
  const { keyWords } = reader
  let at = reader.position
  for (let spent = from; spent < to; spent++) {
    if (at + fastPathBytes <= end) {
      const heightWord = view.getInt32(at)
      const heightBytes = varintBytes(heightWord)
      const amountAt = at + heightBytes + 1
      const amountWord = view.getInt32(amountAt)
      let amountBytes = varintBytes(amountWord)
      let compressed = 0
      if (amountBytes <= 4) compressed = varintValue(amountWord, amountBytes)
      else {
        const lowWord = view.getInt32(amountAt + 4)
        const lowBytes = varintBytes(lowWord)
        compressed = (varintValue(amountWord, 4) + 1) * powersOf128[lowBytes]! + varintValue(lowWord, lowBytes)
        amountBytes = 4 + lowBytes
      }
      const sizeAt = amountAt + amountBytes
      const scriptSize = bytes[sizeAt]!
      // The slow path takes longer heights, transaction versions, and compressed amounts above
      // 2^53.
      const code = varintValue(heightWord, heightBytes)
      const height = code >>> 1
      if (heightBytes <= 4 && amountBytes <= 7 && height > 0 && bytes[amountAt - 1] === 0 && scriptSize < 0x80) {
        const sats = decompressAmount(compressed)
        if (sats > maxMoneySats) throw excessiveAmount(sats)
        spentHeights[spent] = height
        spentSats[spent] = sats
        const scriptLength = scriptBytes[scriptSize]!
        at = sizeAt + 1 + scriptLength
        if (at > end) break
        let type: number
        if (scriptSize < typeOfForm.length) {
          type = typeOfForm[scriptSize]!
          if (identities) writeFormIdentity(identities, spent, scriptSize, type, view, sizeAt + 1)
        } else {
          type = scriptTypeAt(bytes, noKey, sizeAt + 1, scriptLength)
          if (identities) writeIdentity(identities, spent, type, view, keyWords, sizeAt + 1, scriptLength)
        }
        spentKinds[spent] = toKind(type, sizeOf(sats), code & 1)
        continue
      }
    }
    reader.position = at
    decodeSlowly(reader, block, spent)
    at = reader.position
  }
  // Detects reads past the end at the latest here.
  if (at > end) throw new RangeError(`needs ${at - end} more bytes at offset ${end}`)
  reader.position = at
}

function decodeSlowly(reader: ByteReader, block: DecodedBlock, spent: number): void {
  // The lowest bit marks coinbase outputs.
  const code = readVarint(reader)
  const height = code >>> 1
  if (height === 0) throw new OutdatedUndoError(`spent output ${spent} is of unknown height`)
  // Bitcoin Core before 0.15 wrote the transaction version here.
  readVarint(reader)
  const sats = readAmount(reader)
  if (sats > maxMoneySats) throw excessiveAmount(sats)
  block.spentHeights[spent] = height
  block.spentSats[spent] = sats
  const scriptSize = readVarint(reader)
  const scriptLength = scriptSize < 0x80 ? scriptBytes[scriptSize]! : scriptSize - 6
  const { bytes, view, keyWords, position } = reader
  reader.skip(scriptLength)
  const isForm = scriptSize < typeOfForm.length
  const type = isForm ? typeOfForm[scriptSize]! : scriptTypeAt(bytes, noKey, position, scriptLength)
  if (isForm) writeFormIdentity(block.spentIdentities, spent, scriptSize, type, view, position)
  else writeIdentity(block.spentIdentities, spent, type, view, keyWords, position, scriptLength)
  block.spentKinds[spent] = toKind(type, sizeOf(sats), code & 1)
}

const excessiveAmount = (sats: number): RangeError =>
  new RangeError(`a spent output of ${sats} satoshis is more than can exist`)

/** Bytes of the varint in the top bytes of a word; 5 if it is longer. */
const varintBytes = (word: number): number => (Math.clz32(~word & 0x80808080) >>> 3) + 1

/** The ones added for each byte but the last, by number of bytes. */
const varintOffsets = Int32Array.of(0, 0, 128, 128 * 129, 128 * (1 + 128 * 129), 0)

/** The varint in the top `count` (1 to 4) bytes of a word. */
function varintValue(word: number, count: number): number {
  const bits = word >>> (32 - 8 * count)
  return (
    ((bits & 0x7f) | ((bits & 0x7f00) >>> 1) | ((bits & 0x7f_0000) >>> 2) | ((bits & 0x7f00_0000) >>> 3)) +
    varintOffsets[count]!
  )
}

const powersOf128 = Float64Array.from({ length: 6 }, (_, exponent) => 128 ** exponent)

const powersOfTen = Float64Array.from({ length: 10 }, (_, exponent) => 10 ** exponent)

/**
 * Bitcoin Core's VARINT: base 128, high groups first; all bytes but the last have the high bit set
 * and add one.
 */
export function readVarint(reader: ByteReader): number {
  let byte = reader.uint8()
  let value = byte & 0x7f
  while (byte >= 0x80) {
    // Heights and script sizes are far below 2^32; larger heights would not fit their column.
    if (value >= 2 ** 25 - 1) throw new RangeError(`a number at offset ${reader.position} is too large`)
    byte = reader.uint8()
    value = ((value + 1) * 128) | (byte & 0x7f)
  }
  return value >>> 0
}

/**
 * Reads a compressed amount of any length, in satoshis. The compressed form is up to nine times the
 * amount and may exceed 2^53, so it is divided by ten in two parts: compressed = 128 · high + low.
 */
export function readAmount(reader: ByteReader): number {
  let high = 0
  let low = reader.uint8()
  while (low >= 0x80) {
    high = high * 128 + (low & 0x7f) + 1
    if (high > 2 ** 48) throw new RangeError(`an amount at offset ${reader.position} is too large`)
    low = reader.uint8()
  }
  if (high === 0) return decompressAmount(low)
  const highTenth = Math.floor(high / 10)
  const rest = (high - 10 * highTenth) * 128 + low - 1
  const restTenth = Math.floor(rest / 10)
  return scaleAmount(highTenth * 128 + restTenth, rest - 10 * restTenth)
}

/** Decodes a compressed amount below 2^53 to satoshis (Bitcoin Core, `DecompressAmount`). */
export function decompressAmount(compressed: number): number {
  if (compressed === 0) return 0
  const tenth = Math.floor((compressed - 1) / 10)
  return scaleAmount(tenth, compressed - 1 - 10 * tenth)
}

/**
 * `digits` is 9·n + d − 1 for the number 10·n + d with last digit d; with exponent 9, the number
 * less one.
 */
function scaleAmount(digits: number, exponent: number): number {
  return (digits + 1 + (exponent === 9 ? 0 : Math.floor(digits / 9))) * powersOfTen[exponent]!
}
