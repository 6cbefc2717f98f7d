import { copyInto } from './bytes.ts'

/**
 * A block in columns, from any source. The arrays are reused for all blocks and grow when needed, so reading a block
 * allocates nothing; only the first `…Count` entries are valid.
 */
export class DecodedBlock {
  /** Header time, unix seconds. */
  time = 0
  bits = 0
  size = 0
  weight = 0
  outputCount = 0
  /** Outputs that can never be spent: OP_RETURN, or a script over 10,000 bytes. */
  unspendableSats = 0
  unspendableOutputs = 0
  opReturnOutputs = 0
  /** Outputs with a version 0 witness program. */
  segwitOutputs = 0
  /** Outputs with a version 1, 32-byte witness program. */
  taprootOutputs = 0

  transactionCount = 0
  inputCounts = new Uint32Array(4096)
  /** Sum per transaction. */
  outputSats = new Float64Array(4096)

  /** Spent outputs, in the order of the block's inputs; the coinbase has none. */
  spentCount = 0
  spentSats = new Float64Array(16_384)
  /** Heights of the blocks that created them. */
  spentHeights = new Uint32Array(16_384)

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
