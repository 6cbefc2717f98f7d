import { z } from 'zod'

export const healthSchema = z
  .strictObject({
    status: z.enum(['ok', 'data_not_ready']),
    generation: z.string().nullable(),
    tip_height: z.int().nullable(),
    tip_time: z.iso.datetime().nullable(),
    age_seconds: z.number().nullable().meta({ description: 'Seconds since the newest block' }),
  })
  .meta({ id: 'Health' })

export type Health = z.infer<typeof healthSchema>
