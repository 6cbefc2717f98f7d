import { z } from 'zod'
import { coinProofSchema } from './coin-proof.ts'
import { operationalStateSchema } from './operational-state.ts'
import { pricings } from './pricing.ts'

export const publishedHealth = z.strictObject({
  at: z.iso.datetime(),
  network: z.string(),
  simulated: z.boolean().meta({ description: 'Chain and prices are simulated' }),
  first_date: z.iso.date().meta({ description: 'First day of the daily tables' }),
  last_date: z.iso.date().meta({ description: 'Last closed day' }),
  supply_sats: z.int().meta({ description: 'Unspent coins after the tip' }),
  utxo_count: z.int(),
  equal_to_node: z
    .boolean()
    .meta({ description: 'Whether the totals of the node at the tip are equal; false if it could not be asked' }),
  pricing: z
    .strictObject({
      setting: z.enum(pricings),
      hourly: z
        .strictObject({ days: z.int(), first_date: z.iso.date(), last_date: z.iso.date() })
        .nullable()
        .meta({ description: 'Days that are valued by the hour; the others have no hourly prices' }),
    })
    .nullable()
    .meta({ description: 'Prices at which coins and spends are valued; null if there are no prices' }),
})

export const healthSchema = operationalStateSchema
  .extend({
    generation: z.string().nullable(),
    tip_height: z.int().nullable(),
    tip_time: z.iso.datetime().nullable(),
    age_seconds: z.number().nullable().meta({ description: 'Seconds since the newest block' }),
    proved: z
      .strictObject({ blocks: z.int(), of: z.int() })
      .nullable()
      .meta({ description: 'Number of blocks of the chain whose hashes were verified' }),
    proved_coins: coinProofSchema.nullable(),
    published: publishedHealth.nullable().meta({ description: 'The generation that is served' }),
  })
  .meta({ id: 'ServiceHealth' })

export type Health = z.infer<typeof healthSchema>

/** Body of /health/live and /health/ready. */
export const probeSchema = z.strictObject({ status: z.enum(['ok', 'data_not_ready']) }).meta({ id: 'Probe' })
