import { z } from 'zod'
import { axisSides } from './chart-options.ts'
import { isoDate } from './envelope.ts'

const value = z.strictObject({
  date: isoDate,
  time: z.iso.datetime().optional().meta({ description: 'Of hours and blocks' }),
  day_offset: z.int().optional(),
  price: z.number().optional(),
  value: z.number(),
})
const point = value.nullable().meta({ description: 'A value and its date' })
const extreme = value
  .extend({
    only_since: isoDate.optional().meta({
      description: 'If present, only days from this date on count, because the history of the caller begins there',
    }),
  })
  .nullable()
  .meta({ description: 'A value and its date' })

const origin = {
  generation: z.string(),
  simulated: z.literal(true).optional(),
  history_limited_to: isoDate.optional().meta({
    description:
      "The caller's history begins on this date, and the chart was asked to begin earlier, or shows formulas whose values can differ over the whole history",
  }),
  render_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta({ example: '0123456789abcdef0123456789abcdef' }),
  png_url: z.string(),
  svg_url: z.string(),
}

export const chartMetadata = z
  .strictObject({
    title: z.string(),
    theme: z.string(),
    width: z.int(),
    height: z.int(),
    x: z.strictObject({ kind: z.string(), first: isoDate.nullable(), last: isoDate.nullable() }),
    series: z.array(
      z.strictObject({
        id: z.string(),
        label: z.string(),
        unit: z.string(),
        axis: z.strictObject({ id: z.string(), side: z.enum(axisSides), scale: z.string(), title: z.string() }),
        style: z.string(),
        color: z.string(),
        first: point,
        last: point,
        min: extreme,
        max: extreme,
        count: z.int().meta({ description: 'Values that are known' }),
        left_out: z.int().meta({ description: 'Values of zero or below, which a log axis cannot show' }),
      }),
    ),
    remarks: z.array(z.string()).default([]).meta({
      description: 'What the picture leaves out, parts of the request without effect, what the axes hide',
    }),
    heatmap: z
      .strictObject({
        id: z.string(),
        label: z.string(),
        unit: z.string(),
        color_scale: z.string(),
        bins: z.int(),
      })
      .nullable(),
    ...origin,
  })
  .meta({ id: 'ChartMetadata' })

export const chartRows = z
  .strictObject({
    title: z.string(),
    series: z.array(z.strictObject({ name: z.string(), label: z.string(), unit: z.string() })),
    data: z.array(z.record(z.string(), z.union([z.string(), z.number()]).nullable())).meta({
      description:
        'The drawn values, oldest first: an object for each date, with the name of each series (a metric by its id, a formula by its text). Cycles have day (of the cycle) instead of date, distributions lower_price and upper_price, months year and month names',
    }),
    ...origin,
  })
  .meta({ id: 'ChartRows' })

export const composedChart = z
  .strictObject({
    specification: z.looseObject({ title: z.string() }).meta({
      description:
        'The chart with its columns, as the drawing code of this version takes it (render/page). A column is {"float64": text} or {"int32": text}, its values in little-endian order, base64',
    }),
    ...origin,
  })
  .meta({ id: 'ComposedChart' })
