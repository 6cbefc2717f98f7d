import { z } from 'zod'

const stat = z.strictObject({ title: z.string(), text: z.string(), subtext: z.string() })

/** Type four-stats of umbrelOS. */
export const widgetSchema = z
  .strictObject({
    type: z.literal('four-stats'),
    refresh: z.string().meta({ description: 'How long the widget may be shown before it is read again' }),
    link: z.string().meta({ description: 'Page that opens on a click; empty for the first page' }),
    items: z.array(stat).length(4).meta({ description: 'Price, MVRV, newest block and state' }),
  })
  .meta({ id: 'WidgetStats' })

export type Widget = z.infer<typeof widgetSchema>
