import type { ReadColumn } from '#sql/columns.ts'

/**
 * Sums beyond 2^53 are exact integers in two doubles. The scan uses low + high × 2^50: adding a
 * number below 2^50 to the low limb is exact, and carries are rare. The cohort pass uses low + high
 * × 2^40: up to 8,192 of either limb add up exactly.
 */
const limbBits = 50
const addendBits = 40
export const limb = 2 ** limbBits
export const addendLimb = 2 ** addendBits

/** Brings the low limb at index `low` below 2^50; the high limb is next to it. */
export function carry(sums: Float64Array, low: number): void {
  while (sums[low]! >= limb) {
    sums[low]! -= limb
    sums[low + 1]! += 1
  }
}

/** Brings low limbs of the cohort pass below 2^40. */
export function carryAddends(high: ReadColumn, low: ReadColumn): void {
  for (let row = 0; row < low.length; row++) {
    if (low[row]! < addendLimb) continue
    const carried = Math.floor(low[row]! / addendLimb)
    high[row]! += carried
    low[row]! -= carried * addendLimb
  }
}

const wordValues = 2 ** 32

/** Joins non-negative whole numbers of one or two limbs. Throws `RangeError` beyond 2^63. */
export function joinLimbs(name: string, low: ReadColumn, high?: ReadColumn, base = limb): BigInt64Array {
  const values = new BigInt64Array(low.length)
  // Much faster than BigInt arithmetic.
  const words = new Uint32Array(values.buffer)
  for (let row = 0; row < low.length; row++) {
    const lower = low[row]! >>> 0
    const upper = (low[row]! - lower) / wordValues + (high ? high[row]! * (base / wordValues) : 0)
    if (!(upper >= 0 && upper < wordValues / 2))
      throw new RangeError(`${name} has a value beyond 64 bits in row ${row}`)
    words[2 * row] = lower
    words[2 * row + 1] = upper
  }
  return values
}

/**
 * SQL macros: `from_limbs(high, low)` gives the number of two limbs of the scan; `addend_high` and
 * `addend_low` split an integer, or two limbs of the scan as BIGINT, into limbs of the cohort pass.
 */
export const limbMacros = `
  CREATE OR REPLACE TEMP MACRO from_limbs(high, low) AS high::HUGEINT * (1::HUGEINT << ${limbBits}) + low::HUGEINT;
  CREATE OR REPLACE TEMP MACRO addend_high
    (number) AS (number >> ${addendBits})::DOUBLE,
    (high, low) AS ((high << ${limbBits - addendBits}) + (low >> ${addendBits}))::DOUBLE;
  CREATE OR REPLACE TEMP MACRO addend_low
    (number) AS (number & ${addendLimb - 1})::DOUBLE,
    (high, low) AS (low & ${addendLimb - 1})::DOUBLE;`
