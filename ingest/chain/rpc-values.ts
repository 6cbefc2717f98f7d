import { z } from 'zod'
import { coinsOf, maxMoneySats } from '#base/bitcoin.ts'

/** A block hash in display order. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/)

export const heightSchema = z.int().nonnegative()

/** An amount in BTC, no larger than can exist. */
export const amountSchema = z.number().nonnegative().max(coinsOf(maxMoneySats))
