import { copyInto } from './bytes.ts'

/**
 * One block in columns, the form in which every source hands blocks on. The arrays are reused from block to block and
 * grow when a larger block comes, so reading a block allocates nothing; only the first `…Count` entries are valid.
 */
export class DecodedBlock {
  /** Block header time, unix seconds. */
  time = 0
  /** Compact difficulty target. */
  bits = 0
  /** Bytes of the whole serialized block. */
  size = 0
  weight = 0
  outputCount = 0
  /** Value and number of outputs that can never be spent (OP_RETURN, or a script over 10,000 bytes). */
  unspendableSats = 0
  unspendableOutputs = 0
  opReturnOutputs = 0
  /** Outputs paying to a version 0 witness program. */
  segwitOutputs = 0
  /** Outputs paying to a version 1, 32-byte witness program. */
  taprootOutputs = 0

  /** Transactions, the coinbase first. */
  transactionCount = 0
  inputCounts = new Uint32Array(4096)
  /** Σ of the outputs of each transaction, in satoshis. */
  outputSats = new Float64Array(4096)

  /** Outputs that this block spends, in the order of its inputs; the coinbase has none. */
  spentCount = 0
  spentSats = new Float64Array(16_384)
  /** Height of the block that created the spent output. */
  spentHeights = new Uint32Array(16_384)

  /** Forgets the block before, and makes room for the transactions of the next. */
  begin(transactionCount: number): void {
    this.transactionCount = transactionCount
    this.outputCount = 0
    this.unspendableSats = 0
    this.unspendableOutputs = 0
    this.opReturnOutputs = 0
    this.segwitOutputs = 0
    this.taprootOutputs = 0
    this.spentCount = 0
    this.#reserveTransactions(transactionCount)
  }

  #reserveTransactions(count: number): void {
    if (count <= this.inputCounts.length) return
    this.inputCounts = copyInto(new Uint32Array(2 * count), this.inputCounts)
    this.outputSats = copyInto(new Float64Array(2 * count), this.outputSats)
  }

  reserveSpent(count: number): void {
    if (count <= this.spentSats.length) return
    this.spentSats = copyInto(new Float64Array(2 * count), this.spentSats)
    this.spentHeights = copyInto(new Uint32Array(2 * count), this.spentHeights)
  }
}
