import { maxMoneySats } from '#base/bitcoin.ts'
import { toKind } from '#contract/kinds.ts'
import type { ByteReader } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { scriptTypeAt, sizeOf } from './output-kind.ts'

export const headerBytes = 80

/** Receives the position of each transaction in the block, and its number of witness bytes. */
export type OnTransaction = (transaction: number, start: number, end: number, witnessBytes: number) => void

/**
 * Decodes the serialized block that spans `reader` into `block`. Spent outputs are in the undo record instead. Throws
 * `RangeError` if the bytes are not a block.
 */
export function decodeBlock(reader: ByteReader, block: DecodedBlock, onTransaction?: OnTransaction): void {
  const start = reader.position
  reader.skip(68)
  block.time = reader.uint32()
  block.bits = reader.uint32()
  reader.skip(4)

  const transactionCount = reader.compactSize()
  // The smallest transaction has 60 bytes; an absurd count must not allocate absurd memory.
  if (transactionCount === 0 || transactionCount * 60 > reader.end - reader.position) {
    throw new RangeError(`a block of ${reader.end - start} bytes cannot hold ${transactionCount} transactions`)
  }
  block.begin(transactionCount)

  let witnessBytes = 0
  for (let transaction = 0; transaction < transactionCount; transaction++) {
    const at = reader.position
    const transactionWitnessBytes = decodeTransaction(reader, block, transaction)
    onTransaction?.(transaction, at, reader.position, transactionWitnessBytes)
    witnessBytes += transactionWitnessBytes
  }
  if (reader.position !== reader.end) {
    throw new RangeError(`${reader.end - reader.position} bytes follow the last transaction`)
  }
  block.size = reader.end - start
  block.weight = 4 * block.size - 3 * witnessBytes
}

/**
 * Decodes one transaction and returns its number of witness bytes (BIP144). A scan spends most of its time here, so the
 * position is a local variable and one-byte counts are read in place, through the key. Scripts and witnesses are
 * skipped without being deobfuscated. A count read past the end of the block is harmless, because the position is
 * checked before it is used.
 */
function decodeTransaction(reader: ByteReader, block: DecodedBlock, transaction: number): number {
  reader.skip(4)
  let witness = 0
  let inputCount = reader.compactSize()
  if (inputCount === 0) {
    if (reader.uint8() !== 1) throw new RangeError(`transaction ${transaction} has no inputs`)
    witness = 2
    inputCount = reader.compactSize()
    if (inputCount === 0) throw new RangeError(`transaction ${transaction} has no inputs`)
  }
  block.inputCounts[transaction] = inputCount
  skipInputs(reader, inputCount)
  decodeOutputs(reader, block, transaction)
  if (witness > 0) {
    const start = reader.position
    skipWitnesses(reader, inputCount)
    witness += reader.position - start
  }
  reader.skip(4)
  return witness
}

function skipInputs(reader: ByteReader, count: number): void {
  const { bytes, key, end } = reader
  let at = reader.position
  for (let i = 0; i < count; i++) {
    // The outpoint, then the script with its size, then the sequence number.
    at += 36
    const scriptBytes = bytes[at]! ^ key[at & 7]!
    if (scriptBytes < 0xfd) at += 1 + scriptBytes + 4
    else {
      reader.position = at
      const longScriptBytes = reader.compactSize()
      at = reader.position + longScriptBytes + 4
    }
    if (at > end) throw pastEndError(`input ${i}`)
  }
  reader.position = at
}

function skipWitnesses(reader: ByteReader, count: number): void {
  const { bytes, key, end } = reader
  let at = reader.position
  for (let i = 0; i < count; i++) {
    let items = bytes[at]! ^ key[at & 7]!
    if (items < 0xfd) at++
    else {
      reader.position = at
      items = reader.compactSize()
      at = reader.position
    }
    for (let item = 0; item < items; item++) {
      const itemBytes = bytes[at]! ^ key[at & 7]!
      if (itemBytes < 0xfd) at += 1 + itemBytes
      else {
        reader.position = at
        const longItemBytes = reader.compactSize()
        at = reader.position + longItemBytes
      }
      if (at > end) throw pastEndError(`the witness of input ${i}`)
    }
    if (at > end) throw pastEndError(`the witness of input ${i}`)
  }
  reader.position = at
}

function decodeOutputs(reader: ByteReader, block: DecodedBlock, transaction: number): void {
  const { bytes, view, key, keyWords, end } = reader
  const mined = transaction === 0 ? 1 : 0
  const outputCount = reader.compactSize()
  if (outputCount === 0) throw new RangeError(`transaction ${transaction} has no outputs`)
  let total = 0
  let at = reader.position
  for (let i = 0; i < outputCount; i++) {
    if (at + 9 > end) throw pastEndError(`output ${i}`)
    const low = (view.getUint32(at, true) ^ keyWords[at & 7]!) >>> 0
    const high = (view.getUint32(at + 4, true) ^ keyWords[(at + 4) & 7]!) >>> 0
    const sats = low + high * 0x1_0000_0000
    let scriptBytes = bytes[at + 8]! ^ key[at & 7]!
    let script = at + 9
    if (scriptBytes >= 0xfd) {
      reader.position = at + 8
      scriptBytes = reader.compactSize()
      script = reader.position
    }
    at = script + scriptBytes
    if (at > end) throw pastEndError(`output ${i}`)
    if (sats > maxMoneySats) throw new RangeError(`an output of ${sats} satoshis is more than can exist`)
    total += sats
    const kind = toKind(scriptTypeAt(bytes, key, script, scriptBytes), sizeOf(sats), mined)
    block.addCreated(kind, sats)
  }
  reader.position = at
  block.outputSats[transaction] = total
  block.outputCount += outputCount
}

const pastEndError = (what: string): RangeError =>
  new RangeError(`${what} of a transaction reaches beyond the end of the block`)
