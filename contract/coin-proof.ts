import { z } from 'zod'

/**
 * Last comparison with the outputs that the node lists one by one: equal value and number on every
 * day of creation.
 */
export const coinProofSchema = z
  .strictObject({
    height: z.int().meta({ description: 'The block after which they are compared' }),
    hash: z.string(),
    date: z.iso.date().meta({ description: 'Day of that block' }),
    coins: z.int().meta({ description: 'Unspent outputs' }),
    sats: z.int(),
    at: z.iso.datetime().meta({ description: 'When it was proved' }),
  })
  .meta({ description: 'The newest proof by coin; null if there is none' })

export type CoinProof = z.infer<typeof coinProofSchema>
