/**
 * Exact amounts are in satoshis (`…Sats`, `…_sats`). BTC is floating point: display and divide it,
 * never add it up.
 */
export const satsPerCoin = 100_000_000

/** Above any possible supply (Bitcoin Core, MAX_MONEY). */
export const maxMoneySats = 21_000_000 * satsPerCoin

export const satsToBtc = (sats: number): number => sats / satsPerCoin

/**
 * Exact for every possible amount: division and product are each off by a factor of at most 1 ±
 * 2^-53, together by less than 0.47 for every n up to 21 · 10^14.
 */
export const btcToSats = (coins: number): number => Math.round(coins * satsPerCoin)

/** In blocks. */
export const difficultyPeriod = 2_016
const secondsPerBlock = 600

/**
 * Progress of a block's difficulty period, and the factor by which difficulty would change at the
 * pace so far: target time over actual time, between 1/4 and 4 (Bitcoin Core,
 * CalculateNextWorkRequired, which measures one block less). The factor is undefined for the first
 * block of a period.
 * @param seconds from the first block of the period to this one
 */
export function difficultyProgress(height: number, seconds: number): { blocks: number; factor: number | undefined } {
  const blocks = height % difficultyPeriod
  if (blocks === 0 || seconds <= 0) return { blocks, factor: undefined }
  return { blocks, factor: Math.min(4, Math.max(1 / 4, (blocks * secondsPerBlock) / seconds)) }
}

/** Nodes reject blocks whose timestamp is further ahead of their clock. */
export const maxTimeAheadMs = 2 * 3_600_000
