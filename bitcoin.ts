/**
 * Amounts are counted in satoshis, exactly, and their names end in `Sats` or `_sats`. In coins (BTC) they are floating
 * point: for showing and dividing, never for adding up.
 */
export const satsPerCoin = 100_000_000

/** More satoshis than can ever exist (Bitcoin Core, MAX_MONEY). */
export const maxMoneySats = 21_000_000 * satsPerCoin

/** Satoshis in coins. */
export const coinsOf = (sats: number): number => sats / satsPerCoin

/**
 * The satoshis that an amount in coins stands for, exactly: the double nearest to n / 10^8 is off by a factor of at most
 * 1 ± 2^-53, the product by as much again, together less than n · 2^-52 < 0.47 for every n up to 21 · 10^14.
 */
export const satsOf = (coins: number): number => Math.round(coins * satsPerCoin)
