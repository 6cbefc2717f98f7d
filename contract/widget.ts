import { z } from 'zod'

const stat = z.strictObject({ title: z.string(), text: z.string(), subtext: z.string() })

/** A widget of type four-stats for the home screen of umbrelOS. */
export const widgetSchema = z
  .strictObject({
    type: z.literal('four-stats'),
    refresh: z.string().meta({ description: 'How long it may be shown' }),
    link: z.string().meta({ description: 'Page that it leads to; empty for the first one' }),
    items: z.array(stat).length(4).meta({ description: 'Price, MVRV, newest block and state' }),
  })
  .meta({ id: 'Widget' })

export type Widget = z.infer<typeof widgetSchema>
