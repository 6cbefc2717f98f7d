import { maxMoneySats } from '#base/bitcoin.ts'
import { toKind } from '#contract/kinds.ts'
import { writeIdentity } from './address-identity.ts'
import type { ByteReader } from './bytes.ts'
import { readCoinbase } from './coinbase.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { isDust, opReturn, scriptTypeAt, sizeOf, unspendable } from './output-kind.ts'
import { hasEnvelope, isControlBlock, marks, pushesText } from './transaction-marks.ts'

export const headerBytes = 80

/** Receives the position of each transaction in the block, and its witness bytes. */
export type OnTransaction = (transaction: number, start: number, end: number, witnessBytes: number) => void

/**
 * Decodes the block that spans `reader` into `block`, without spent outputs. Throws `RangeError` if
 * the bytes are not a block.
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
    if (transaction === 0) {
      const { position } = reader
      reader.position = at
      block.coinbase = readCoinbase(reader, transactionWitnessBytes > 0)
      reader.position = position
    }
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
 * Decodes one transaction and returns its witness bytes (BIP144). A scan spends most of its time
 * here: the position is a local variable, one-byte counts are read in place through the key, input
 * scripts and most witnesses are skipped without deobfuscation. A count read past the end is
 * harmless: the position is checked before it is used.
 */
function decodeTransaction(reader: ByteReader, block: DecodedBlock, transaction: number): number {
  const start = reader.position
  const version = reader.uint32()
  let mark = version >= 1 && version <= 3 ? 1 << (version - 1) : 0
  let witness = 0
  let inputCount = reader.compactSize()
  if (inputCount === 0) {
    if (reader.uint8() !== 1) throw new RangeError(`transaction ${transaction} has no inputs`)
    witness = 2
    inputCount = reader.compactSize()
    if (inputCount === 0) throw new RangeError(`transaction ${transaction} has no inputs`)
  }
  block.inputCounts[transaction] = inputCount
  mark |= skipInputs(reader, inputCount)
  mark |= decodeOutputs(reader, block, transaction)
  if (witness > 0) {
    const at = reader.position
    mark |= marks.witness | skipWitnesses(reader, inputCount)
    witness += reader.position - at
  }
  if (reader.uint32() !== 0) mark |= marks.locked
  block.marks[transaction] = mark
  block.transactionWeights[transaction] = 4 * (reader.position - start) - 3 * witness
  return witness
}

/** Returns the mark of a replaceable transaction, or 0. */
function skipInputs(reader: ByteReader, count: number): number {
  const { bytes, view, key, keyWords, end } = reader
  let at = reader.position
  let isFinal = true
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
    // As signed words, the sequence numbers that do not signal replaceability are −1 and −2.
    const sequence = view.getInt32(at - 4, true) ^ keyWords[(at - 4) & 7]!
    isFinal &&= sequence === -1 || sequence === -2
  }
  reader.position = at
  return isFinal ? 0 : marks.replaceable
}

/** Returns the mark of an inscription, or 0. */
function skipWitnesses(reader: ByteReader, count: number): number {
  const { bytes, key, end } = reader
  let at = reader.position
  let mark = 0
  for (let i = 0; i < count; i++) {
    let items = bytes[at]! ^ key[at & 7]!
    if (items < 0xfd) at++
    else {
      reader.position = at
      items = reader.compactSize()
      at = reader.position
    }
    let itemBytes = 0
    let previousEnd = 0
    let previousBytes = 0
    for (let item = 0; item < items; item++) {
      previousEnd = at
      previousBytes = itemBytes
      itemBytes = bytes[at]! ^ key[at & 7]!
      if (itemBytes < 0xfd) at += 1 + itemBytes
      else {
        reader.position = at
        itemBytes = reader.compactSize()
        at = reader.position + itemBytes
      }
      if (at > end) throw pastEndError(`the witness of input ${i}`)
    }
    if (at > end) throw pastEndError(`the witness of input ${i}`)
    // A spend by taproot script ends with the script and a control block.
    if (items >= 2 && isControlBlock(bytes, key, at - itemBytes, itemBytes)) {
      if (hasEnvelope(bytes, key, previousEnd - previousBytes, previousBytes)) mark = marks.inscription
    }
  }
  reader.position = at
  return mark
}

/** Returns the marks that outputs decide. */
function decodeOutputs(reader: ByteReader, block: DecodedBlock, transaction: number): number {
  const { bytes, view, key, keyWords, end } = reader
  const mined = transaction === 0 ? 1 : 0
  const outputCount = reader.compactSize()
  if (outputCount === 0) throw new RangeError(`transaction ${transaction} has no outputs`)
  // The smallest output has 9 bytes; an absurd count must not allocate absurd memory.
  if (outputCount * 9 > end - reader.position) throw pastEndError(`output ${outputCount - 1}`)
  const firstCreated = block.createdCount
  block.reserveCreated(firstCreated + outputCount)
  const { createdValues, createdTypes } = block
  const identities = block.hasIdentities ? block.createdIdentities : undefined
  let created = firstCreated
  let total = 0
  let largest = 0
  let mark = 0
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
    if (sats > largest) largest = sats
    const type = scriptTypeAt(bytes, key, script, scriptBytes)
    block.addCreated(toKind(type, sizeOf(sats), mined), sats)
    if (type < opReturn) {
      createdValues[created] = sats
      createdTypes[created] = type
      if (identities) writeIdentity(identities, created, type, view, keyWords, script, scriptBytes)
      created++
      if (isDust(sats, type, bytes, key, script, scriptBytes)) block.dustOutputs++
    } else if (type !== unspendable) {
      mark |= mark & marks.opReturn ? marks.severalOpReturns : marks.opReturn
      mark |= addOpReturn(reader, block, script, scriptBytes)
    }
  }
  reader.position = at
  block.createdCount = created
  block.createdEnds[transaction] = created
  block.outputCounts[transaction] = outputCount
  block.outputSats[transaction] = total
  block.largestOutputs[transaction] = largest
  block.outputCount += outputCount
  if (block.inputCounts[transaction]! < 5 || created - firstCreated < 5) return mark
  return haveFewValues(createdValues.subarray(firstCreated, created)) ? mark | marks.equalOutputs : mark
}

const omni = Buffer.from('omni')

/** Returns the mark of a runestone, or 0. */
function addOpReturn({ bytes, key }: ByteReader, block: DecodedBlock, at: number, length: number): number {
  block.opReturnBytes += length
  if (length > 83) block.largeOpReturns++
  if (length === 1) return 0
  if (pushesText(bytes, key, at + 1, at + length, omni)) block.omniOutputs++
  return (bytes[at + 1]! ^ key[(at + 1) & 7]!) === 0x5d ? marks.runestone : 0
}

/** Whether at most half of the amounts are different. */
function haveFewValues(values: Float64Array): boolean {
  const sorted = values.toSorted()
  let different = 1
  for (let i = 1; i < sorted.length; i++) if (sorted[i] !== sorted[i - 1]) different++
  return 2 * different <= sorted.length
}

const pastEndError = (what: string): RangeError =>
  new RangeError(`${what} of a transaction reaches beyond the end of the block`)
