import { ByteReader } from './bytes.ts'
import { noHash } from './commitments.ts'

const versionBytes = 4
const flagBytes = 2
const noOutpoint = Buffer.concat([noHash, Buffer.from('ffffffff', 'hex')])

export interface Coinbase {
  /** What the miner wrote, often with the name of a pool. */
  readonly inputScript: Uint8Array
  readonly outputs: ReadonlyArray<{ readonly sats: number; readonly script: Uint8Array }>
}

/** Throws `RangeError` if the bytes are not a coinbase. */
export function parseCoinbase(bytes: Uint8Array, hasWitness: boolean): Coinbase {
  const reader = new ByteReader(bytes, versionBytes + (hasWitness ? flagBytes : 0))
  const inputs = reader.compactSize()
  if (inputs !== 1 || Buffer.compare(take(reader, noOutpoint.length), noOutpoint) !== 0) {
    throw new RangeError('does not begin with a coinbase')
  }
  const inputScript = take(reader, reader.compactSize())
  reader.skip(4)
  const outputs = Array.from({ length: reader.compactSize() }, () => ({
    sats: reader.uint64(),
    script: take(reader, reader.compactSize()),
  }))
  return { inputScript, outputs }
}

function take(reader: ByteReader, length: number): Uint8Array {
  const at = reader.position
  reader.skip(length)
  return reader.bytes.subarray(at, reader.position)
}
