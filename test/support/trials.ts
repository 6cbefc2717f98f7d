/**
 * How often a test tries what a few tries already find where it is wrong: with LONG_TRIALS=1, as a release sets it, so
 * often that also what happens rarely comes up.
 */
export const trials = (few: number, many: number): number => (process.env.LONG_TRIALS === '1' ? many : few)
