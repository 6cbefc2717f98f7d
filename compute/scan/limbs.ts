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
