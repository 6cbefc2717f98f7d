/**
 * Amounts are counted in satoshis, exactly, and their names end in `Sats` or `_sats`. In coins (BTC) they are floating
 * point: for showing and dividing, never for adding up.
 */
export const satsPerCoin = 100_000_000

/** More satoshis than can ever exist (Bitcoin Core, MAX_MONEY). */
export const maxMoneySats = 21_000_000 * satsPerCoin

/** Satoshis in coins. */
export const satsToBtc = (sats: number): number => sats / satsPerCoin

/**
 * The satoshis that an amount in coins stands for, exactly: the double nearest to n / 10^8 is off by a factor of at most
 * 1 ± 2^-53, the product by as much again, together less than n · 2^-52 < 0.47 for every n up to 21 · 10^14.
 */
export const btcToSats = (coins: number): number => Math.round(coins * satsPerCoin)

/** Blocks from one change of the difficulty to the next. */
export const difficultyPeriod = 2_016
const secondsPerBlock = 600

/**
 * How far the difficulty period of a block is, and by which factor the difficulty would change at the pace so far: time
 * aimed at over time taken, at most fourfold either way (Bitcoin Core, CalculateNextWorkRequired, where the time is
 * that of one block less). The factor is not known in the first block of a period.
 * @param seconds from the first block of the period to this one
 */
export function difficultyProgress(height: number, seconds: number): { blocks: number; factor: number | undefined } {
  const blocks = height % difficultyPeriod
  if (blocks === 0 || seconds <= 0) return { blocks, factor: undefined }
  return { blocks, factor: Math.min(4, Math.max(1 / 4, (blocks * secondsPerBlock) / seconds)) }
}

/** A node takes no block whose time is further ahead of its clock, in milliseconds. */
export const maxTimeAheadMs = 2 * 3_600_000
