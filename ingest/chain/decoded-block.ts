import { kindCount, kindsOf } from '#contract/kinds.ts'
import { copyInto } from './bytes.ts'
import type { Coinbase } from './coinbase.ts'

/** Above all coins, and small enough for the sum of two. */
export const carrySats = 2 ** 52

const unspendableKinds = kindsOf('op_return', 'unspendable')
const opReturnKinds = kindsOf('op_return')
const segwitKinds = kindsOf('p2wpkh', 'p2wsh')
const taprootKinds = kindsOf('p2tr')

/**
 * A block in columns, from any source. The arrays are reused and grow when needed, so reading
 * allocates nothing; only the first `…Count` entries are valid.
 */
export class DecodedBlock {
  /** Unix seconds. */
  time = 0
  bits = 0
  size = 0
  weight = 0
  outputCount = 0
  /** Outputs by kind (`contract/kinds.ts`). */
  readonly createdSats = new Float64Array(kindCount)
  /** Times that `carrySats` was subtracted from a sum above to keep it exact. */
  readonly createdCarries = new Uint32Array(kindCount)
  readonly createdOutputs = new Float64Array(kindCount)

  transactionCount = 0
  inputCounts = new Uint32Array(4096)
  outputCounts = new Uint32Array(4096)
  /** Per transaction. */
  outputSats = new Float64Array(4096)
  /** Per transaction. */
  largestOutputs = new Float64Array(4096)
  /** Weight units per transaction. */
  transactionWeights = new Uint32Array(4096)
  /** Bits of `transaction-marks.ts` per transaction. */
  marks = new Uint16Array(4096)

  /** Spendable outputs, in the order of the block. */
  createdCount = 0
  /** Number of those up to the end of each transaction. */
  createdEnds = new Uint32Array(4096)
  createdValues = new Float64Array(16_384)
  createdTypes = new Uint8Array(16_384)
  /** Two words each; see `address-identity.ts`. */
  createdIdentities = new Uint32Array(32_768)
  /** Spendable outputs below the dust limit; see `isDust`. */
  dustOutputs = 0
  /** Bytes of OP_RETURN scripts. */
  opReturnBytes = 0
  /** OP_RETURN scripts above 83 bytes, which nodes did not relay before Bitcoin Core 30. */
  largeOpReturns = 0
  omniOutputs = 0

  /** False leaves identities unwritten, saving a tenth of a scan that counts no addresses. */
  hasIdentities = true

  coinbase: Coinbase = { inputScript: new Uint8Array(0), outputs: [] }

  /** Spent outputs, in the order of the block's inputs; the coinbase has none. */
  spentCount = 0
  spentSats = new Float64Array(16_384)
  /** Heights of the creating blocks. */
  spentHeights = new Uint32Array(16_384)
  spentKinds = new Uint16Array(16_384)
  spentIdentities = new Uint32Array(32_768)

  /** Outputs that can never be spent: OP_RETURN, or scripts over 10,000 bytes. */
  get unspendableSats(): number {
    return total(this.createdSats, unspendableKinds)
  }
  get unspendableOutputs(): number {
    return total(this.createdOutputs, unspendableKinds)
  }
  get opReturnOutputs(): number {
    return total(this.createdOutputs, opReturnKinds)
  }
  /** Version 0 witness programs. */
  get segwitOutputs(): number {
    return total(this.createdOutputs, segwitKinds)
  }
  /** Version 1, 32-byte witness programs. */
  get taprootOutputs(): number {
    return total(this.createdOutputs, taprootKinds)
  }

  begin(transactionCount: number): void {
    this.transactionCount = transactionCount
    this.outputCount = 0
    this.createdCount = 0
    this.dustOutputs = 0
    this.opReturnBytes = 0
    this.largeOpReturns = 0
    this.omniOutputs = 0
    this.createdSats.fill(0)
    this.createdCarries.fill(0)
    this.createdOutputs.fill(0)
    this.spentCount = 0
    this.#reserveTransactions(transactionCount)
  }

  addCreated(kind: number, sats: number): void {
    const sum = this.createdSats[kind]! + sats
    this.createdOutputs[kind]! += 1
    if (sum < carrySats) this.createdSats[kind] = sum
    else {
      this.createdSats[kind] = sum - carrySats
      this.createdCarries[kind]! += 1
    }
  }

  #reserveTransactions(count: number): void {
    if (count <= this.inputCounts.length) return
    this.inputCounts = new Uint32Array(2 * count)
    this.outputCounts = new Uint32Array(2 * count)
    this.outputSats = new Float64Array(2 * count)
    this.largestOutputs = new Float64Array(2 * count)
    this.transactionWeights = new Uint32Array(2 * count)
    this.marks = new Uint16Array(2 * count)
    this.createdEnds = new Uint32Array(2 * count)
  }

  reserveCreated(count: number): void {
    if (count <= this.createdValues.length) return
    this.createdValues = copyInto(new Float64Array(2 * count), this.createdValues)
    this.createdTypes = copyInto(new Uint8Array(2 * count), this.createdTypes)
    this.createdIdentities = copyInto(new Uint32Array(4 * count), this.createdIdentities)
  }

  reserveSpent(count: number): void {
    if (count <= this.spentSats.length) return
    this.spentSats = copyInto(new Float64Array(2 * count), this.spentSats)
    this.spentHeights = copyInto(new Uint32Array(2 * count), this.spentHeights)
    this.spentKinds = copyInto(new Uint16Array(2 * count), this.spentKinds)
    this.spentIdentities = copyInto(new Uint32Array(4 * count), this.spentIdentities)
  }
}

function total(sums: Float64Array, kinds: readonly number[]): number {
  let result = 0
  for (const kind of kinds) result += sums[kind]!
  return result
}
