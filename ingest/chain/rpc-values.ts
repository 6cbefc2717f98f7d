import { z } from 'zod'
import { maxMoneySats } from './block.ts'

/** A block hash in display order. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/)

export const heightSchema = z.int().nonnegative()

/** An amount in BTC, no larger than can exist. */
export const amountSchema = z
  .number()
  .nonnegative()
  .max(maxMoneySats / 1e8)

/**
 * The satoshis that a JSON amount in BTC stands for, exactly: the double nearest to n / 10^8 is off by a factor of at most
 * 1 ± 2^-53, the product by as much again, together less than n · 2^-52 < 0.47 for every n up to 21 · 10^14.
 */
export const amountSats = (btc: number): number => Math.round(btc * 1e8)
