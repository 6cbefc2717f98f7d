import type { ByteReader } from './bytes.ts'

const versionBytes = 4
const flagBytes = 2
/** Words of the null hash, before the position −1. */
const noHashWords = 8

export interface Coinbase {
  /** Miner's text, often with a pool's name. */
  readonly inputScript: Uint8Array
  readonly outputs: ReadonlyArray<{ readonly sats: number; readonly script: Uint8Array }>
}

/**
 * Reads the transaction that begins here, without witness. Throws `RangeError` if it is no
 * coinbase.
 */
export function readCoinbase(reader: ByteReader, hasWitness: boolean): Coinbase {
  reader.skip(versionBytes + (hasWitness ? flagBytes : 0))
  let isCoinbase = reader.compactSize() === 1
  for (let i = 0; i < noHashWords; i++) isCoinbase &&= reader.uint32() === 0
  if (!isCoinbase || reader.uint32() !== 0xffff_ffff) throw new RangeError('does not begin with a coinbase')
  const inputScript = readBytes(reader, reader.compactSize())
  reader.skip(4)
  const outputs: { sats: number; script: Uint8Array }[] = []
  for (let left = reader.compactSize(); left > 0; left--) {
    outputs.push({ sats: reader.uint64(), script: readBytes(reader, reader.compactSize()) })
  }
  return { inputScript, outputs }
}

function readBytes(reader: ByteReader, length: number): Uint8Array {
  const { bytes, key, position } = reader
  reader.skip(length)
  const read = new Uint8Array(length)
  for (let i = 0; i < length; i++) read[i] = bytes[position + i]! ^ key[(position + i) & 7]!
  return read
}
