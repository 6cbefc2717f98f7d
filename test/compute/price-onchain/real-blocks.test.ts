import { describe, expect, it } from 'vitest'
import {
  addEvidence,
  countBelow,
  firstShares,
  measurePeaks,
  roundAmounts,
  toPosition,
  toPrice,
} from '#compute/price-onchain/hour-evidence.ts'
import { OnchainPrices } from '#compute/price-onchain/onchain-prices.ts'
import { addPacked, OutputHours } from '#compute/scan/output-hours.ts'
import { outputBins } from '#contract/output-bins.ts'
import { decodeBlock } from '#ingest/chain/block.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { decodeUndo } from '#ingest/chain/undo.ts'
import { hasModernBlocks, modernBlock } from '#test/support/sample-blocks.ts'

/** Counts of a block's outputs under both filters. */
function countBlock(height: number): readonly [Uint32Array, Uint32Array] {
  const { bytes, undo } = modernBlock(height)
  const block = new DecodedBlock()
  decodeBlock(new ByteReader(bytes), block)
  decodeUndo(new ByteReader(undo), block)
  // Blocks ten minutes apart.
  const times = Uint32Array.from({ length: height + 1 }, (_, i) => block.time - 600 * (height - i))
  const hours = new OutputHours()
  hours.add(height, block, times)
  const packed = hours.take()!
  const counts = [new Uint32Array(outputBins), new Uint32Array(outputBins)] as const
  addPacked(packed.broad, counts[0])
  addPacked(packed.narrow, counts[1])
  return counts
}

/** The most likely price between two others. */
function bestPrice(counts: Uint32Array, low: number, high: number) {
  const below = countBelow(counts)
  const first = Math.round(toPosition(low))
  const scores = new Float64Array(Math.round(toPosition(high)) - first)
  addEvidence(scores, first, below, firstShares)
  const best = scores.indexOf(Math.max(...scores))
  const { refined } = measurePeaks(below, first + best, new Float64Array(roundAmounts.length))
  return { price: toPrice(refined), evidence: scores[best]! }
}

// The day's range of exchanges in dollars was 68,010 to 68,693.
describe.skipIf(!hasModernBlocks)('real blocks', () => {
  it('have the price of their day among all from a third of it to three times it', () => {
    const { price, evidence } = bestPrice(countBlock(866_342)[0], 23_000, 205_000)
    expect(price).toBeGreaterThan(68_010)
    expect(price).toBeLessThan(68_693)
    expect(evidence).toBeGreaterThan(25)
  })

  it('have no price if their payments are too few', () => {
    const prices = new OnchainPrices({ day: 0, price: 280 })
    prices.addHour(12, countBlock(367_891))
    prices.endDays(1)
    expect(prices.finish()).toMatchObject([{ price: Number.NaN, low: Number.NaN, high: Number.NaN }])
  })
})
