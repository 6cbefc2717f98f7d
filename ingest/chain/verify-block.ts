import { decodeBlock, headerBytes } from './block.ts'
import { ByteReader, doubleSha256 } from './bytes.ts'
import { DecodedBlock } from './decoded-block.ts'
import { merkleRoot } from './merkle.ts'

const merkleRootAt = 36
const hashBytes = 32
const noHash = new Uint8Array(hashBytes)

/** Marker and flag, which stand behind the version of a transaction with witnesses (BIP144). */
const flagBytes = 2
const versionBytes = 4
const lockTimeBytes = 4

/** What the input of a coinbase spends: nothing. */
const noOutpoint = Buffer.concat([noHash, Buffer.from('ffffffff', 'hex')])

/** Begins the script of the coinbase output that commits to all witnesses (BIP141): OP_RETURN, 36 bytes, a tag. */
const commitmentTag = Buffer.from('6a24aa21a9ed', 'hex')

/** The one witness that a coinbase may have (BIP141): one item of 32 bytes. */
const reservedValueTag = Buffer.from('0120', 'hex')

const decoded = new DecodedBlock()

/**
 * Checks that these bytes are the block of this hash (in the byte order of the block files), to the last byte: the
 * header by the hash, the transactions by the merkle root in the header, their witnesses by what the coinbase commits
 * to. Returns what it holds, without its spent outputs, until the next block. Throws a RangeError that says what is wrong.
 */
export function verifyBlock(bytes: Uint8Array, hash: Uint8Array): DecodedBlock {
  if (bytes.length < headerBytes || !same(doubleSha256(bytes.subarray(0, headerBytes)), hash)) {
    throw new RangeError('has a header with another hash')
  }
  const txids: Uint8Array[] = []
  const wtxids: Uint8Array[] = []
  const coinbase = { bytes: noHash, witnessBytes: 0 }
  let hasWitnesses = false
  decodeBlock(new ByteReader(bytes), decoded, (transaction, start, end, witnessBytes) => {
    const whole = bytes.subarray(start, end)
    const txid = doubleSha256(witnessBytes > 0 ? withoutWitness(whole, witnessBytes) : whole)
    txids.push(txid)
    // The coinbase cannot commit to its own witness.
    wtxids.push(transaction === 0 ? noHash : witnessBytes > 0 ? doubleSha256(whole) : txid)
    if (transaction === 0) Object.assign(coinbase, { bytes: whole, witnessBytes })
    hasWitnesses ||= witnessBytes > 0
  })
  if (!same(merkleRoot(txids), bytes.subarray(merkleRootAt, merkleRootAt + hashBytes))) {
    throw new RangeError('has other transactions than its merkle root commits to')
  }
  const commitment = readCommitment(coinbase.bytes, coinbase.witnessBytes)
  if (hasWitnesses) checkWitnesses(wtxids, commitment, coinbase.bytes, coinbase.witnessBytes)
  return decoded
}

/** The bytes of a transaction that its txid covers. */
function withoutWitness(transaction: Uint8Array, witnessBytes: number): Uint8Array {
  const witnessEnd = transaction.length - lockTimeBytes
  return Buffer.concat([
    transaction.subarray(0, versionBytes),
    transaction.subarray(versionBytes + flagBytes, witnessEnd - (witnessBytes - flagBytes)),
    transaction.subarray(witnessEnd),
  ])
}

/** The hash by which a coinbase commits to the witnesses of its block, if it does; of several the last counts. */
function readCommitment(coinbase: Uint8Array, witnessBytes: number): Uint8Array | undefined {
  const reader = new ByteReader(coinbase, versionBytes + (witnessBytes > 0 ? flagBytes : 0))
  const inputs = reader.compactSize()
  const outpoint = take(reader, noOutpoint.length)
  if (inputs !== 1 || !same(outpoint, noOutpoint)) throw new RangeError('does not begin with a coinbase')
  const inputScriptBytes = reader.compactSize()
  reader.skip(inputScriptBytes + 4)
  let commitment: Uint8Array | undefined
  for (let outputs = reader.compactSize(); outputs > 0; outputs--) {
    reader.skip(8)
    const scriptBytes = reader.compactSize()
    const script = take(reader, scriptBytes)
    const value = script.subarray(commitmentTag.length, commitmentTag.length + hashBytes)
    if (value.length === hashBytes && same(script.subarray(0, commitmentTag.length), commitmentTag)) commitment = value
  }
  return commitment
}

function checkWitnesses(
  wtxids: readonly Uint8Array[],
  commitment: Uint8Array | undefined,
  coinbase: Uint8Array,
  witnessBytes: number,
): void {
  if (!commitment) throw new RangeError('has witnesses that its coinbase does not commit to')
  const witness = coinbase.subarray(0, -lockTimeBytes).subarray(-(witnessBytes - flagBytes))
  const reservedValue = witness.subarray(reservedValueTag.length)
  if (!same(witness.subarray(0, reservedValueTag.length), reservedValueTag) || reservedValue.length !== hashBytes) {
    throw new RangeError('has a coinbase without the reserved value for its witness commitment')
  }
  if (!same(doubleSha256(merkleRoot(wtxids), reservedValue), commitment)) {
    throw new RangeError('has other witnesses than its coinbase commits to')
  }
}

function take(reader: ByteReader, length: number): Uint8Array {
  const at = reader.position
  reader.skip(length)
  return reader.bytes.subarray(at, reader.position)
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
