/**
 * Sums that pass 2^53 stay exact integers in two doubles. While they grow, in the scan, they are low + high × 2^50: adding
 * a number below 2^50 to the low limb is exact, and a carry is rare. Once they are added up no further but weighed as
 * doubles, in the cohort pass, they are low + high × 2^40: up to 8,192 of either add up exactly.
 */
const limbBits = 50
const addendBits = 40
export const limb = 2 ** limbBits
export const addendLimb = 2 ** addendBits

/** Brings the low limb at index `low` below 2^50; the high limb stands behind it. */
export function carry(sums: Float64Array, low: number): void {
  while (sums[low]! >= limb) {
    sums[low]! -= limb
    sums[low + 1]! += 1
  }
}

/**
 * The same for SQL: `from_limbs(high, low)` is the number itself; `addend_high` and `addend_low` are the parts that the
 * cohort pass takes, of an integer or of its limbs as BIGINT.
 */
export const limbMacros = `
  CREATE OR REPLACE TEMP MACRO from_limbs(high, low) AS high::HUGEINT * (1::HUGEINT << ${limbBits}) + low::HUGEINT;
  CREATE OR REPLACE TEMP MACRO addend_high
    (number) AS (number >> ${addendBits})::DOUBLE,
    (high, low) AS ((high << ${limbBits - addendBits}) + (low >> ${addendBits}))::DOUBLE;
  CREATE OR REPLACE TEMP MACRO addend_low
    (number) AS (number & ${addendLimb - 1})::DOUBLE,
    (high, low) AS (low & ${addendLimb - 1})::DOUBLE;`
