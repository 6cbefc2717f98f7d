import { expect, it } from 'vitest'
import { addPacked, OutputHours, packCounts, toOutputBin } from '#compute/scan/output-hours.ts'
import { outputBins } from '#contract/output-bins.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { p2pkh, p2tr } from '#ingest/chain/output-kind.ts'
import { marks } from '#ingest/chain/transaction-marks.ts'

it('finds the bin of a value as its logarithm does, to a fifth of a bin', () => {
  for (let sats = 1001; sats < 1e11; sats = Math.ceil(sats * 1.0037) + 1) {
    const bin = toOutputBin(sats)
    if (bin < 0) continue
    const exact = 1000 * (Math.log10(sats) - 3)
    expect(bin + 1.25).toBeGreaterThan(exact)
    expect(bin - 0.001).toBeLessThan(exact)
  }
})

it('counts neither round amounts of BTC nor values outside the bins', () => {
  for (const sats of [0, 999, 1000, 1_500_000, 12_300_000, 100_000_000, 99_900_000_000, 1e11, 21e14]) {
    expect(toOutputBin(sats)).toBe(-1)
  }
  expect(toOutputBin(1_230_001)).toBeGreaterThan(0)
  expect(toOutputBin(12_340_000)).toBeGreaterThan(0)
})

it('packs any counts', () => {
  const counts = new Uint32Array(outputBins)
  counts.set([1, 0, 0, 20, 21, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 7, 2 ** 20])
  counts[outputBins - 1] = 5
  const text = packCounts(counts)
  // DuckDB ends texts in statements at NUL.
  expect(Buffer.from(text).every((byte) => byte > 0 && byte < 128)).toBe(true)
  const twice = new Uint32Array(outputBins)
  addPacked(text, twice)
  expect(twice).toEqual(counts)
  addPacked(text, twice)
  expect(twice).toEqual(counts.map((count) => 2 * count))
  expect(packCounts(new Uint32Array(outputBins))).toBe('')
})

const day = 86_400

/** Counts of one transaction besides the coinbase, with outputs of these values. */
function countOne({
  values,
  spentTimes = [100 * day - 1],
  type = p2pkh,
  mark = 0,
  height = 2,
}: {
  values: readonly number[]
  spentTimes?: readonly number[]
  type?: number
  mark?: number
  height?: number
}): readonly [broad: number, narrow: number] {
  const block = new DecodedBlock()
  block.begin(2)
  block.createdValues.set([5_012_345_678, ...values])
  block.createdTypes.fill(type, 1, 1 + values.length)
  block.createdEnds.set([1, 1 + values.length])
  block.inputCounts.set([1, spentTimes.length])
  block.outputCounts.set([1, values.length])
  block.marks[1] = mark
  block.spentHeights.set(spentTimes.map((_, i) => i))
  const times = new Uint32Array(height + 1)
  times.set(spentTimes)
  times[height] = 100 * day + 7
  const hours = new OutputHours()
  hours.add(height, block, times)
  const packed = hours.take()
  expect(hours.take()).toBeUndefined()
  return [total(packed?.broad), total(packed?.narrow)]
}

function total(text = ''): number {
  const counts = new Uint32Array(outputBins)
  addPacked(text, counts)
  return counts.reduce((sum, count) => sum + count, 0)
}

it('counts outputs of payments, and of payments with change from coins of earlier days apart', () => {
  const two = [1_234_567, 7_654_321]
  expect(countOne({ values: two })).toEqual([2, 2])
  expect(countOne({ values: [...two, 2_345_678] })).toEqual([3, 0])
  expect(countOne({ values: two, spentTimes: [100 * day - 1, 100 * day] })).toEqual([2, 0])
  expect(countOne({ values: two, spentTimes: Array.from({ length: 6 }, () => 0), height: 9 })).toEqual([2, 0])
  expect(countOne({ values: two, type: p2tr })).toEqual([0, 0])
  expect(countOne({ values: two, mark: marks.opReturn })).toEqual([0, 0])
  expect(countOne({ values: [1_234_567, 1_000_000] })).toEqual([1, 1])
})

it('counts larger payouts from block 630,000 on', () => {
  const values = (count: number) => Array.from({ length: count }, (_, i) => 1_234_567 + i)
  expect(countOne({ values: values(100) })).toEqual([100, 0])
  expect(countOne({ values: values(101) })).toEqual([0, 0])
  expect(countOne({ values: values(250), height: 630_000 })).toEqual([250, 0])
  expect(countOne({ values: values(251), height: 630_000 })).toEqual([0, 0])
})
