import { z } from 'zod'

export const healthSchema = z
  .strictObject({
    status: z.enum(['ok', 'data_not_ready']),
    generation: z.string().nullable(),
    tip_height: z.int().nullable(),
    tip_time: z.iso.datetime().nullable(),
    age_seconds: z.number().nullable().meta({ description: 'Seconds since the newest block' }),
    proved: z
      .strictObject({ blocks: z.int(), of: z.int() })
      .nullable()
      .meta({ description: 'How many blocks of the chain are proved: each was held against its hash' }),
    last_update: z
      .strictObject({
        started_at: z.iso.datetime(),
        ended_at: z.iso.datetime().nullable(),
        outcome: z.enum(['running', 'ok', 'failed']),
      })
      .nullable()
      .meta({
        description: 'The last run that was to renew the data; after a failed one the data before it are served',
      }),
  })
  .meta({ id: 'Health' })

export type Health = z.infer<typeof healthSchema>
