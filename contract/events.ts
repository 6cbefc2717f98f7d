import { z } from 'zod'

const instant = z.iso.datetime()
const fetch = z.string().meta({ description: 'Address of the new data' })

/** Contain only what every caller may see. */
export const eventData = {
  generation: z
    .strictObject({
      generation: z.string().meta({ description: 'Id of the generation that is current now' }),
      published_at: instant,
      last_date: z.iso.date().meta({ description: 'Its last closed day' }),
      tip_height: z.int(),
      tip_hash: z.string(),
      fetch,
    })
    .meta({
      id: 'GenerationEvent',
      description: 'Another generation is current: a new one, or an earlier one that an operator restored',
    }),
  today: z
    .strictObject({
      as_of_height: z.int(),
      as_of_hash: z.string(),
      as_of_time: instant,
      updated_at: instant,
      fetch,
    })
    .meta({ id: 'TodayEvent', description: 'The open day has changed: by a block, a price or a reorganisation' }),
  market: z
    .strictObject({ snapshot_at: instant.meta({ description: 'Time of the newest answer in the snapshot' }), fetch })
    .meta({
      id: 'MarketEvent',
      description: 'A snapshot of the markets was taken; the next generation will contain it',
    }),
} as const

export type EventName = keyof typeof eventData
export const eventNames = ['generation', 'today', 'market'] as const satisfies readonly EventName[]
export type EventData<Name extends EventName = EventName> = z.output<(typeof eventData)[Name]>
