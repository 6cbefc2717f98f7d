import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binCount, binLowerEdge, binWidth, toBin } from '#compute/scan/log-histogram.ts'

const value = fc.oneof(fc.nat(5000), fc.nat(2 ** 31), fc.integer({ min: 0, max: 2 ** 53 - 1 }))

describe('the bins of a logarithmic histogram', () => {
  it('reach each to the next', () => {
    for (let bin = 0; bin < binCount; bin++) expect(binLowerEdge(bin) + binWidth(bin)).toBe(binLowerEdge(bin + 1))
  })

  it('count upwards from 0 and double their width every 32', () => {
    expect(toBin(0)).toBe(0)
    // Edges by hand: 32 bins from 1 to 2, 32 from 2 to 4, shifted by one.
    expect(binLowerEdge(0)).toBe(0)
    expect(binLowerEdge(32)).toBe(1)
    expect(binLowerEdge(64)).toBe(3)
    expect(binLowerEdge(48)).toBe(2)
    expect(binLowerEdge(32 * 12 + 16)).toBe(4096 * 1.5 - 1)
    expect(toBin(1)).toBe(32)
    expect(toBin(2)).toBe(48)
    expect(toBin(3)).toBe(64)
    expect(toBin(6143)).toBe(32 * 12 + 16)
    expect(toBin(6142)).toBe(32 * 12 + 15)
  })

  it('hold each value between their edges, as far as a float can tell', () => {
    fc.assert(
      fc.property(value, (number) => {
        const bin = toBin(number)
        // A float has 24 bits: larger values may round up into the next bin.
        const tolerance = (number + 1) * 2 ** -24
        expect(binLowerEdge(bin)).toBeLessThanOrEqual(number + tolerance)
        expect(binLowerEdge(bin + 1)).toBeGreaterThan(number - tolerance)
      }),
      { numRuns: 5000 },
    )
  })

  it('are no wider than 1/32 of the value', () => {
    fc.assert(
      fc.property(value, (number) => {
        const width = binLowerEdge(toBin(number) + 1) - binLowerEdge(toBin(number))
        expect(width).toBeLessThanOrEqual((number + 1) / 32 + (number + 1) * 2 ** -24)
      }),
    )
  })

  it('keep the order of values', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(toBin(Math.max(a, b))).toBeGreaterThanOrEqual(toBin(Math.min(a, b)))
      }),
    )
  })

  it('reach from nothing to the largest exact number', () => {
    expect(toBin(2 ** 53 - 1)).toBe(binCount - 1)
  })
})
