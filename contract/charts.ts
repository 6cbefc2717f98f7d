import 'zod-openapi'
import { z } from 'zod'
import {
  axisSides,
  chartDefaults,
  colorScaleNames,
  dayLimits,
  maxFormulaParts,
  maxItems,
  maxPixels,
  normalizations,
  numberFormats,
  ownAxes,
  paddedEnds,
  pixelRatioLimits,
  rangeDays,
  rangeNames,
  scaleNames,
  seriesNamings,
  seriesStyles,
  sizeLimits,
  snapshotFormats,
  textScaleLimits,
  themeNames,
  xAxisKinds,
} from './chart-options.ts'
import { integerWithin, type Limits, numberWithin, oneOf, textUpTo } from './field-schemas.ts'
import { aggregates } from './metric-kinds.ts'
import { asNumber, booleanText, chartInterval, cycleFamily, day, pointInTime } from './parameters.ts'

const text = () => z.string('must be a text')
const nameOfAxis = (pattern: RegExp) =>
  text()
    .regex(pattern, 'must be a name of at most 40 letters, digits, _ and -')
    .refine((id) => id !== ownAxes.heatmap, 'is taken: choose another name')
const axisId = nameOfAxis(/^[A-Za-z][\w-]{0,39}$/)
/** Also default axes, such as `auto:USD`. */
const describedAxisId = nameOfAxis(/^([A-Za-z][\w-]{0,39}|(auto|left|right):.{1,60})$/)
const metricId = text().min(1, 'must not be empty').max(100, 'must have at most 100 characters')
const label = textUpTo(120)
const color = text()
  .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour written #rrggbb')
  .transform((text) => (text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text).toLowerCase())
  .meta({ example: '#f7931a' })
const dash = text()
  .regex(/^\d{1,3}(\.\d)?( \d{1,3}(\.\d)?){0,5}$/, 'must be lengths with spaces between, such as "4 3"')
  .meta({ example: '4 3' })
const opacity = numberWithin([0, 1])
const expression = text().min(1, 'must not be empty').max(1_000, 'must have at most 1000 characters')
const level = z.number('must be a number')
const style = oneOf(seriesStyles)
const scale = oneOf(scaleNames)
const side = oneOf(axisSides)

const stacked = z
  .boolean('must be true or false')
  .meta({ description: 'Stacked on the stacked series before it; for areas and bars' })
const toggle = (description: string) => z.boolean('must be true or false').optional().meta({ description })
const ascends = (from: number | undefined, to: number | undefined): boolean =>
  from === undefined || to === undefined || from < to

const seriesOptions = {
  y_axis_id: axisId
    .optional()
    .meta({ description: 'One of y_axes, or left or right; without it the axis of its dimension' }),
  style: style.optional(),
  stacked: stacked.optional(),
  color: color.optional(),
  negative_color: color.optional().meta({ description: 'Colour of bars below zero' }),
  show_in_legend: z.boolean('must be true or false').optional(),
  label: label.optional(),
  line_width: numberWithin([0.1, 10]).optional(),
  dash: dash.optional(),
  opacity: opacity.optional(),
  color_by: expression.optional().meta({
    description: 'A metric or formula whose values colour a line or step, with a legend of colours',
    example: 'mvrv',
  }),
  color_scale: oneOf(colorScaleNames).optional().meta({
    description: 'For color_by and style heatmap; values on both sides of zero have two colours instead',
  }),
  aggregate: oneOf(aggregates)
    .optional()
    .meta({ description: 'How days become a week, month or year; default: `aggregate` of the metric' }),
}

const metricItem = z.strictObject({ id: metricId, axis: side.optional(), ...seriesOptions })

const percent = numberWithin([0, 100])

const yAxis = z
  .strictObject({
    id: describedAxisId.optional().meta({
      description: `Without it the axis is that of its side, or the first of the chart; ${ownAxes.price} is that of the overlay, auto:USD that of series in USD`,
    }),
    side: side.optional(),
    scale: scale.optional(),
    format: oneOf(numberFormats).optional(),
    range: z
      .tuple([percent, percent], 'must be two numbers from 0 to 100')
      .refine(([from, to]) => from < to, 'must ascend')
      .optional()
      .meta({
        description: 'Vertical zone [from %, to %]; 0 is the bottom',
        // Client generators do not support prefixItems.
        override: ({ jsonSchema }) => {
          delete jsonSchema.prefixItems
          const items = { type: 'number' as const, minimum: 0, maximum: 100 }
          Object.assign(jsonSchema, { items, minItems: 2, maxItems: 2 })
        },
      }),
    domain_min: level.optional(),
    domain_max: level.optional(),
    ceiling: level.optional().meta({ description: 'Larger values do not extend the axis' }),
    floor: level.optional().meta({ description: 'Smaller values do not extend the axis' }),
    title: textUpTo(60).optional(),
    no_padding: oneOf(paddedEnds).optional(),
  })
  .refine(({ domain_min, domain_max }) => ascends(domain_min, domain_max), {
    path: ['domain_max'],
    error: 'must be above domain_min',
  })

const referenceLine = z
  .strictObject({
    y: level.optional(),
    y_formula: expression.optional(),
    x: day.optional().meta({ description: 'A date: a line from top to bottom' }),
    y_axis_id: axisId.optional(),
    stroke: color.optional(),
    stroke_dasharray: dash.optional(),
    label: label.optional(),
  })
  .refine(({ y, y_formula, x }) => [y, y_formula, x].filter((one) => one !== undefined).length === 1, {
    path: ['y'],
    error: 'or y_formula or x must be given, one of them',
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
  .refine(({ y1, y1_formula }) => y1 === undefined || y1_formula === undefined, {
    path: ['y1'],
    error: 'and y1_formula must not both be given',
  })
  .refine(({ y2, y2_formula }) => y2 === undefined || y2_formula === undefined, {
    path: ['y2'],
    error: 'and y2_formula must not both be given',
  })
  .refine((area) => [area.y1, area.y1_formula, area.y2, area.y2_formula].some((bound) => bound !== undefined), {
    path: ['y1'],
    error: 'or y2 must be given, or both; without one the area reaches to the end of the axis',
  })

const formula = z.strictObject({
  expression: expression.meta({
    description: 'm1, m2 … are the metrics in order, f1 … earlier formulas; metric ids are accepted, too',
    example: 'sma(m1, 200)',
  }),
  unit: textUpTo(20).optional().meta({ description: 'Default: the unit that follows from the metrics' }),
  ...seriesOptions,
})

const binLimits = [10, 400] as const

const heatmap = z
  .strictObject({
    metric: metricId.meta({ example: 'cost_basis_distribution' }),
    color_scale: oneOf(colorScaleNames).default(chartDefaults.colorScale),
    y_scale: scale.optional().meta({ description: 'By default log if the price has grown tenfold' }),
    bins: integerWithin(binLimits).optional().meta({
      description: 'Joins whole bins into at most as many rows, of equal height on a scale of y_scale (default: log)',
    }),
    y_min: level.positive('must be above 0').optional(),
    y_max: level.positive('must be above 0').optional(),
  })
  .refine(({ y_min, y_max }) => ascends(y_min, y_max), { path: ['y_max'], error: 'must be above y_min' })

const histogram = z
  .strictObject({
    metric: metricId.meta({ example: 'cost_basis_distribution' }),
    date: day.optional().meta({ description: 'Without it end_date, or the newest day' }),
    scale: scale.default('linear').meta({ description: 'Scale of the prices' }),
    min: level.positive('must be above 0').optional().meta({ description: 'Lowest price in USD' }),
    max: level.positive('must be above 0').optional(),
    bins: integerWithin(binLimits).default(100),
  })
  .refine(({ min, max }) => ascends(min, max), { path: ['max'], error: 'must be above min' })

const crossing = z.strictObject({
  line: metricId.meta({ description: 'A series: m1, m2 …, f1, f2 … or the id of a metric', example: 'm1' }),
  crosses: metricId.meta({ description: 'Another series on the same axis', example: 'm2' }),
  up: label
    .optional()
    .meta({ description: 'Name of the days on which the line rises above the other', example: 'Golden cross' }),
  down: label
    .optional()
    .meta({ description: 'Name of the days on which it falls below; with only one, only that is marked' }),
})

const template = textUpTo(60).optional().meta({
  description: 'A ready chart, such as price, mvrv_ratio, hodl_waves, nupl, sopr, cycle_perf_halving, etf_flows',
})
const daysMeaning = {
  description: `Newest days to show; without it those of range, or ${rangeDays[chartDefaults.range]}`,
}
const subtitle = textUpTo(240)
const pixelRatioMeaning = {
  description: `Pixels of a PNG to one of width and height, for screens of high density; at most ${maxPixels} in all`,
}
const [minTextScale, maxTextScale] = textScaleLimits
const textScale = numberWithin(textScaleLimits)
const textScaleMeaning = { description: 'Size of all texts relative to the default size, for small pictures' }
const embedFontMeaning = {
  description: 'Embed the font in an SVG, which then looks the same in every browser but is larger',
}
const isDrawable = ({ width, height, pixel_ratio }: Record<'width' | 'height' | 'pixel_ratio', number>): boolean =>
  width * height * pixel_ratio ** 2 <= maxPixels
const tooManyPixels = {
  path: ['pixel_ratio'],
  error: `makes more than ${maxPixels} pixels: choose a smaller one, or a smaller picture`,
}

/** New for each request: OpenAPI describes their defaults differently. */
const common = () => ({
  days: integerWithin(dayLimits).optional().meta(daysMeaning),
  start_date: day.optional().meta({ description: 'Overrides days' }),
  end_date: day.optional(),
  interval: chartInterval.optional().meta({
    description:
      'Of each week (from Monday), month or year, levels show the last value, flows the sum and ratios of flows that of the sums (`aggregate` of each metric); the newest may be unfinished. Hours and blocks, of metrics that have them, show at most 10,000 points, by default of 30 days',
  }),
  range: oneOf(rangeNames).optional().meta({
    description:
      'Days to show: the newest of 1 to 6 months or 1 to 4 years, this year, since the last halving, or all; days takes precedence',
  }),
  style: style.optional(),
  scale: scale.optional(),
  overlay: z
    .literal('price', { error: 'must be price' })
    .optional()
    .meta({ description: 'The price as a dashed line, on the axis of series in USD per coin or its own' }),
  title: label.optional(),
  subtitle: subtitle
    .optional()
    .meta({ description: 'How to read the chart; an empty one removes the subtitle of a template' }),
  labels: oneOf(seriesNamings)
    .optional()
    .meta({ description: 'Series are named in a legend, or at their right end if there is room' }),
  theme: oneOf(themeNames).default(chartDefaults.theme),
  width: integerWithin(sizeLimits.width).default(chartDefaults.width),
  height: integerWithin(sizeLimits.height).default(chartDefaults.height),
  pixel_ratio: integerWithin(pixelRatioLimits).default(chartDefaults.pixelRatio).meta(pixelRatioMeaning),
  text_scale: textScale.default(chartDefaults.textScale).meta(textScaleMeaning),
  embed_font: z.boolean('must be true or false').default(false).meta(embedFontMeaning),
  format: oneOf(snapshotFormats).optional(),
  ...pointInTime,
})

const listOf = <Item extends z.ZodType>(item: Item, max: number) =>
  z.array(item, 'must be a list').max(max, `must have at most ${max} items`)

export const chartBody = z
  .strictObject({
    metric: metricId.optional().meta({
      description: 'Exactly one of metric, metrics, template, heatmap, histogram and calendar, or formulas alone',
    }),
    metrics: listOf(
      z.union([metricId, metricItem], 'must be the id of a metric, or an object that has one'),
      maxItems.metrics,
    )
      .min(1, 'must not be empty')
      .optional()
      .meta({ description: 'Several metrics, by id or styled' }),
    calendar: z.strictObject({ metric: metricId }).optional().meta({
      description:
        'A metric by month and year: changes of a level such as the price, sums of a flow, means of a rate or ratio',
    }),
    template,
    heatmap: heatmap.optional().meta({ description: 'A distribution over time, such as cost_basis_distribution' }),
    histogram: histogram
      .optional()
      .meta({ description: 'A distribution over prices on one day, with the price of that day' }),
    ...common(),
    x_axis: oneOf(xAxisKinds)
      .meta({ description: 'day_offset lays the cycles of one metric over each other' })
      .default('date'),
    cycle_family: cycleFamily.default('halving'),
    indexed: toggle('With day_offset: each cycle is divided by its first value'),
    cycle_days: toggle('With day_offset: days since each cycle began below the chart, instead of dates of the newest'),
    stacked: z
      .union([z.boolean(), z.literal('percent')], 'must be true, false or percent')
      .optional()
      .meta({ description: 'Stack areas and bars; percent shows shares of their sum' }),
    normalize: oneOf(normalizations)
      .optional()
      .meta({ description: 'Over the days shown: first value = 100, z-scores, or percentiles; not for stacks' }),
    last_values: toggle('The last value of each series at its right end; without it they are shown'),
    halvings: toggle('Lines at the halvings'),
    events: toggle('Lines at events of the market'),
    brand: toggle('Mark, name and address of this instance at the foot; without it they are shown'),
    crossings: listOf(crossing, maxItems.crossings)
      .optional()
      .meta({ description: 'Markers on the days on which two lines cross' }),
    y_axes: listOf(yAxis, maxItems.y_axes)
      .refine((axes) => new Set(axes.map(({ id, side }) => id ?? side)).size === axes.length, 'must have different ids')
      .default([]),
    reference_lines: listOf(referenceLine, maxItems.reference_lines).default([]),
    reference_areas: listOf(referenceArea, maxItems.reference_areas).default([]),
    formulas: listOf(formula, maxItems.formulas)
      .default([])
      .meta({
        description: `All formulas, and the different ones of levels, have at most ${maxFormulaParts} numbers, metrics and operations together`,
      }),
  })
  .refine(isDrawable, tooManyPixels)
  .meta({
    id: 'ChartBody',
    override: ({ jsonSchema }) => {
      jsonSchema.not = { required: ['generation', 'as_of'] }
    },
  })

/** Dates are unix days. */
export type ChartBody = z.output<typeof chartBody>

export const chartParts = {
  metricItem,
  yAxis,
  referenceLine,
  referenceArea,
  formula,
  heatmap,
  histogram,
  crossing,
} as const
export type ChartPart<Name extends keyof typeof chartParts> = z.output<(typeof chartParts)[Name]>

const digits = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number, in digits')
  .transform(Number)
const wholeNumberText = (limits: Limits) =>
  digits.pipe(integerWithin(limits)).meta(asNumber('integer', { minimum: limits[0], maximum: limits[1] }))

export const chartQuery = z
  .strictObject({
    metric: metricId.optional().meta({ description: 'Exactly one of metric, metrics and template', example: 'price' }),
    metrics: z
      .string()
      .regex(/^[^,]+(,[^,]+){0,5}$/, 'must be 1 to 6 metric ids with commas between them')
      .transform((ids) => ids.split(','))
      .optional(),
    axes: z
      .string()
      .regex(
        /^(left|right)(,(left|right)){0,5}$/,
        'must be left or right for each of metrics, with commas between them',
      )
      .transform((sides) => sides.split(','))
      .optional()
      .meta({ description: 'The axis of each of metrics, instead of that of its dimension, such as left,right' }),
    template,
    ...common(),
    days: wholeNumberText(dayLimits).optional().meta(daysMeaning),
    width: wholeNumberText(sizeLimits.width).default(chartDefaults.width),
    height: wholeNumberText(sizeLimits.height).default(chartDefaults.height),
    embed_font: booleanText.meta(embedFontMeaning),
    pixel_ratio: wholeNumberText(pixelRatioLimits).default(chartDefaults.pixelRatio).meta(pixelRatioMeaning),
    text_scale: z
      .string()
      .regex(/^\d(\.\d{1,20})?$/, 'must be a number such as 1.5')
      .transform(Number)
      .pipe(textScale)
      .default(chartDefaults.textScale)
      .meta({
        ...textScaleMeaning,
        ...asNumber('number', { minimum: minTextScale, maximum: maxTextScale }),
      }),
  })
  .refine(isDrawable, tooManyPixels)
  .refine(({ axes, metric, metrics }) => !axes || axes.length === (metrics ?? (metric ? [metric] : [])).length, {
    path: ['axes'],
    error: 'must have one of left and right for each of metrics',
  })

export type ChartQuery = z.output<typeof chartQuery>
