/**
 * Number of attempts of a test: a few find most bugs, and many (LONG_TRIALS=1, for a release) also
 * find rare ones.
 */
export const trials = (few: number, many: number): number => (process.env.LONG_TRIALS === '1' ? many : few)
