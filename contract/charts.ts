import 'zod-openapi'
import { z } from 'zod'
import { isoDate } from './envelope.ts'
import { cycleFamily, day } from './parameters.ts'

const text = () => z.string('must be a text')
const axisId = text()
  .regex(/^[A-Za-z][\w-]{0,39}$/, 'must be a name of at most 40 letters, digits, _ and -')
  .refine((id) => !['heatmap', 'price_overlay'].includes(id), 'is taken: choose another name')
const metricId = text().min(1, 'must not be empty').max(100, 'must have at most 100 characters')
const label = text().max(120, 'must have at most 120 characters')
const color = text()
  .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour written #rrggbb')
  .transform((text) => (text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text).toLowerCase())
  .meta({ example: '#f7931a' })
const dash = text().regex(
  /^\d{1,3}(\.\d)?( \d{1,3}(\.\d)?){0,5}$/,
  'must be lengths with spaces between, such as "4 3"',
)
const opacity = z.number('must be a number').min(0, 'must be at least 0').max(1, 'must be at most 1')
const expression = text().min(1, 'must not be empty').max(1_000, 'must have at most 1000 characters')
const level = z.number('must be a number')
const style = z.enum(['line', 'area', 'bar'], { error: 'must be one of line, area, bar' })
const scale = z.enum(['linear', 'log'], { error: 'must be one of linear, log' })
const side = z.enum(['left', 'right'], { error: 'must be one of left, right' })

/** Of all formulas and levels of a chart together: it bounds the work. */
export const mostFormulaParts = 400

const ascends = (from: number | undefined, to: number | undefined): boolean =>
  from === undefined || to === undefined || from < to

const metricItem = z.strictObject({
  id: metricId,
  axis: side.optional(),
  y_axis_id: axisId.optional().meta({ description: 'One of y_axes' }),
  style: style.optional(),
  color: color.optional(),
  show_in_legend: z.boolean('must be true or false').optional(),
  label: label.optional(),
  line_width: z.number('must be a number').min(0.1, 'must be at least 0.1').max(10, 'must be at most 10').optional(),
  dash: dash.optional(),
  opacity: opacity.optional(),
})

const percent = z.number('must be a number').min(0, 'must be at least 0').max(100, 'must be at most 100')

const yAxis = z
  .strictObject({
    id: axisId,
    side: side.optional(),
    scale: scale.optional(),
    format: z.enum(['number', 'currency', 'percent'], { error: 'must be one of number, currency, percent' }).optional(),
    range: z
      .tuple([percent, percent], 'must be two numbers from 0 to 100')
      .refine(([from, to]) => from < to, 'must ascend')
      .optional()
      .meta({ description: 'Vertical zone [from %, to %]; 0 is the bottom' }),
    domain_min: level.optional(),
    domain_max: level.optional(),
    no_padding: z.enum(['top', 'bottom', 'both'], { error: 'must be one of top, bottom, both' }).optional(),
  })
  .refine(({ domain_min, domain_max }) => ascends(domain_min, domain_max), {
    path: ['domain_max'],
    error: 'must be above domain_min',
  })

const referenceLine = z
  .strictObject({
    y: level.optional(),
    y_formula: expression.optional(),
    y_axis_id: axisId.optional(),
    stroke: color.optional(),
    stroke_dasharray: dash.optional(),
    label: label.optional(),
  })
  .refine(({ y, y_formula }) => (y === undefined) !== (y_formula === undefined), {
    path: ['y'],
    error: 'or y_formula must be given, one of them',
  })

const referenceArea = z
  .strictObject({
    y1: level.optional(),
    y1_formula: expression.optional(),
    y2: level.optional(),
    y2_formula: expression.optional(),
    y_axis_id: axisId.optional(),
    fill: color.optional(),
    fill_opacity: opacity.optional(),
    label: label.optional(),
  })
  .refine(({ y1, y1_formula }) => (y1 === undefined) !== (y1_formula === undefined), {
    path: ['y1'],
    error: 'or y1_formula must be given, one of them',
  })
  .refine(({ y2, y2_formula }) => (y2 === undefined) !== (y2_formula === undefined), {
    path: ['y2'],
    error: 'or y2_formula must be given, one of them',
  })

const formula = z.strictObject({
  expression: expression.meta({
    description: 'm1, m2 … are the metrics by place, f1 … earlier formulas; metric ids work, too',
    example: 'sma(m1, 200)',
  }),
  label: label.optional(),
  color: color.optional(),
  style: style.optional(),
  y_axis_id: axisId.optional(),
})

const heatmap = z
  .strictObject({
    metric: metricId.meta({ example: 'cost_basis_distribution' }),
    color_scale: z
      .enum(['viridis', 'plasma', 'inferno', 'magma', 'turbo', 'cividis'], {
        error: 'must be one of viridis, plasma, inferno, magma, turbo, cividis',
      })
      .default('viridis'),
    y_scale: scale.optional().meta({ description: 'Without it log where the highest price has grown tenfold' }),
    y_min: level.positive('must be above 0').optional(),
    y_max: level.positive('must be above 0').optional(),
  })
  .refine(({ y_min, y_max }) => ascends(y_min, y_max), { path: ['y_max'], error: 'must be above y_min' })

const whole = (minimum: number, maximum: number) =>
  z.int('must be a whole number').min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`)

const template = text().max(60, 'must have at most 60 characters')

/** What GET and POST have in common. */
const common = {
  days: whole(7, 10_000).optional().meta({ description: 'Newest days to show; 365 without it' }),
  start_date: day.optional().meta({ description: 'Overrides days' }),
  end_date: day.optional(),
  style: style.optional(),
  scale: scale.optional(),
  overlay: z.literal('price', { error: 'must be price' }).optional(),
  title: label.optional(),
  theme: z.enum(['light', 'dark'], { error: 'must be one of light, dark' }).default('light'),
  width: whole(600, 2_400).default(1_200),
  height: whole(300, 1_200).default(600),
  format: z.enum(['png', 'svg', 'json'], { error: 'must be one of png, svg, json' }).optional(),
}

const several = <Item extends z.ZodType>(item: Item, most: number) =>
  z.array(item, 'must be a list').max(most, `must have at most ${most} items`)

export const chartBody = z
  .strictObject({
    metric: metricId.optional().meta({ description: 'Exactly one of metric, metrics, template and heatmap' }),
    metrics: several(z.union([metricId, metricItem], 'must be the id of a metric, or an object that has one'), 12)
      .min(1, 'must not be empty')
      .optional(),
    template: template.optional(),
    heatmap: heatmap.optional(),
    ...common,
    x_axis: z.enum(['date', 'day_offset'], { error: 'must be one of date, day_offset' }).default('date'),
    cycle_family: cycleFamily.default('halving'),
    y_axes: several(yAxis, 8)
      .refine((axes) => new Set(axes.map(({ id }) => id)).size === axes.length, 'must have different ids')
      .default([]),
    reference_lines: several(referenceLine, 20).default([]),
    reference_areas: several(referenceArea, 20).default([]),
    formulas: several(formula, 12)
      .default([])
      .meta({
        description: `All formulas, and the different ones of levels, have at most ${mostFormulaParts} numbers, metrics and operations together`,
      }),
  })
  .meta({ id: 'ChartRequest' })

/** A chart as it is asked for; dates are unix days. */
export type ChartAsk = z.output<typeof chartBody>

const digits = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number, in digits')
  .transform(Number)
const numberIn = (schema: ReturnType<typeof whole>, minimum: number, maximum: number) =>
  digits.pipe(schema).meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern
      Object.assign(jsonSchema, { type: 'integer', minimum, maximum })
    },
  })

export const chartQuery = z.strictObject({
  metric: metricId.optional().meta({ description: 'Exactly one of metric, metrics and template', example: 'price' }),
  metrics: z
    .string()
    .regex(/^[^,]+(,[^,]+){0,5}$/, 'must be 1 to 6 metric ids with commas between them')
    .transform((ids) => ids.split(','))
    .optional(),
  template: template.optional().meta({ description: 'A ready chart, such as price, mvrv_ratio, hodl_waves' }),
  ...common,
  days: numberIn(whole(7, 10_000), 7, 10_000).optional().meta({ description: 'Newest days to show; 365 without it' }),
  width: numberIn(whole(600, 2_400), 600, 2_400).default(1_200),
  height: numberIn(whole(300, 1_200), 300, 1_200).default(600),
})

const point = z
  .strictObject({ date: isoDate, day_offset: z.int().optional(), value: z.number() })
  .nullable()
  .meta({ description: 'A value and its date' })

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
        axis: z.strictObject({ id: z.string(), side, scale: z.string(), title: z.string() }),
        style: z.string(),
        color: z.string(),
        first: point,
        last: point,
        min: point,
        max: point,
        count: z.int().meta({ description: 'Values that are known' }),
        left_out: z.int().meta({ description: 'Values of zero or less, which a log axis cannot show' }),
      }),
    ),
    heatmap: z
      .strictObject({
        id: z.string(),
        label: z.string(),
        unit: z.string(),
        color_scale: z.string(),
        bins: z.int(),
      })
      .nullable(),
    generation: z.string(),
    simulated: z.literal(true).optional(),
    history_limited_to: isoDate.optional().meta({
      description:
        "The caller's history begins on this date, and the chart was to begin earlier or shows formulas, whose values may be others over the whole history",
    }),
    render_id: z.string().regex(/^[0-9a-f]{32}$/),
    png_url: z.string(),
    svg_url: z.string(),
  })
  .meta({ id: 'ChartMetadata' })
