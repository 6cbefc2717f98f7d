import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseSizes } from '#render/draw/sizes.ts'
import type { ChartRequest, RequestedAxis } from '#render/request/request.ts'
import { ChartRequestError } from '#render/request/request-error.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { trials } from '#test/support/trials.ts'
import { drawPicture, layoutFaults } from '../picture.ts'
import { dayRange, fillTemplate, firstPriceDay, sampleHeatmap, seededRandom } from '../samples.ts'
import { expectLayout } from '../template-layout.ts'

const label = fc.oneof(
  fc.constantFrom('MVRV', 'Realized price of short-term holders', 'Żółć ₿ ∑', ''),
  fc.string({ maxLength: 120, unit: 'grapheme' }),
  fc.string({ maxLength: 60 }).map((text) => `W${text}`),
)

/** Columns of every magnitude: constant, across zero, over many decades, with gaps, empty. */
const column = fc
  .record({
    seed: fc.nat(),
    exponent: fc.integer({ min: -9, max: 17 }),
    decades: fc.integer({ min: 0, max: 8 }),
    signed: fc.boolean(),
    gaps: fc.constantFrom(0, 0, 0.2, 1),
  })
  .map(({ seed, exponent, decades, signed, gaps }) => (length: number) => {
    const random = seededRandom(seed)
    return Float64Array.from({ length }, () => {
      if (random() < gaps) return Number.NaN
      return 10 ** (exponent + decades * random()) * (signed && random() < 0.5 ? -1 : 1)
    })
  })

const axis = fc.record(
  {
    side: fc.constantFrom('left', 'right'),
    scale: fc.constantFrom('linear', 'log'),
    format: fc.constantFrom('number', 'currency', 'percent'),
    range: fc.constantFrom<[number, number]>([0, 100], [0, 50], [50, 100], [0, 10], [30, 60]),
    domain_min: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    domain_max: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    no_padding: fc.constantFrom('top', 'bottom', 'both'),
    title: label,
  },
  { requiredKeys: [] },
)

const request: fc.Arbitrary<ChartRequest> = fc
  .record({
    title: label,
    source: label,
    theme: fc.constantFrom('light', 'dark'),
    size: fc.constantFrom([600, 300], [1200, 600], [2400, 1200], [2400, 300], [600, 1200], [801, 437]),
    first: fc.integer({ min: 14246, max: 20000 }),
    count: fc.constantFrom(1, 2, 7, 60, 365, 1500, 6000),
    dayOffset: fc.boolean(),
    axes: fc.array(axis, { maxLength: 5 }),
    scale: fc.constantFrom('linear', 'log'),
    overlay: fc.boolean(),
    heatmap: fc.constantFrom(false, false, false, true),
    series: fc.array(
      fc.record({
        label,
        column,
        unit: fc.constantFrom('USD', 'BTC', '%', 'ratio', 'H/s', ''),
        style: fc.constantFrom('line', 'area', 'bar'),
        stacked: fc.boolean(),
        axisNumber: fc.nat({ max: 8 }),
        show_in_legend: fc.boolean(),
        dash: fc.constantFrom(undefined, '4 3', '1'),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    subtitle: fc.oneof(
      fc.constant(''),
      label,
      fc.string({ maxLength: 240 }).map((text) => `Read it so: ${text}`),
    ),
    labels: fc.constantFrom('legend', 'direct'),
    last_values: fc.boolean(),
    brand: fc.option(fc.record({ name: fc.constant('Coinstrata'), address: fc.option(label, { nil: undefined }) }), {
      nil: undefined,
    }),
    verticals: fc.array(fc.record({ label, offset: fc.integer({ min: -10, max: 1600 }) }), { maxLength: 12 }),
    lines: fc.array(fc.record({ label, y: fc.double({ min: -10, max: 1000, noNaN: true }) }), { maxLength: 6 }),
  })
  .map((parts) => {
    const { title, source, theme, size, count, first, scale, lines, subtitle, labels, last_values, brand } = parts
    const axes: RequestedAxis[] = parts.axes.map((one, i) => ({ id: `y${i}`, ...one }))
    const days = dayRange(first, count)
    return {
      title,
      subtitle,
      labels,
      last_values,
      ...(brand && { brand }),
      verticals: parts.verticals.map(({ offset, ...line }) => ({ ...line, day: first + offset })),
      source,
      theme,
      width: size[0]!,
      height: size[1]!,
      scale,
      axes,
      x: parts.dayOffset ? { kind: 'day_offset', days, firstDay: first } : { kind: 'date', days },
      series: parts.series.map(({ column: make, axisNumber, dash, ...rest }, i) => ({
        id: `s${i}`,
        ...rest,
        ...(dash && { dash }),
        ...(axisNumber < axes.length && { y_axis_id: `y${axisNumber}` }),
        values: make(count),
      })),
      referenceLines: lines,
      referenceAreas: lines.map(({ label: text, y }) => ({ y1: y, y2: y + 5, label: `${text} area` })),
      ...(parts.overlay && { priceOverlay: Float64Array.from({ length: count }, (_, i) => 100 + i) }),
      ...(parts.heatmap && count <= 60 && { heatmap: sampleHeatmap(dayRange(firstPriceDay + 4000, count)) }),
    }
  })

/** Whether the chart needs few enough axes. */
function isAccepted(chart: ChartRequest): boolean {
  try {
    return buildSpecification(chart).series.length > 0
  } catch (error) {
    if (error instanceof ChartRequestError) return false
    throw error
  }
}

describe('no text covers another or leaves the picture', () => {
  test('in any chart', () => {
    fc.assert(
      fc.property(request.filter(isAccepted), (chart) => {
        expect(layoutFaults(drawPicture(chart))).toEqual([])
      }),
      { numRuns: trials(20, 100) },
    )
  })

  test.each(Object.entries(templates))('in the template %s', (_, template) => {
    // Longer histories and larger pictures are in layout.extended.test.ts. Cycles need a long one.
    expectLayout(template, template.x_axis ? 5970 : 60, [600, 300])
  })

  test('in HODL waves on a phone, whose bands have their full names in the legend', () => {
    const size = { width: 366, height: 340 }
    const chart = fillTemplate(templates.hodl_waves!, dayRange(firstPriceDay, 5970))
    const text_scale = 1 / chooseSizes({ ...size, textScale: 1 }).scale
    const picture = drawPicture({ ...chart, ...size, title: '', subtitle: '', source: '', text_scale })
    const legend = picture.texts.filter(({ group }) => group === 'legend').map(({ text }) => text)
    expect(legend.slice(0, 12)).toEqual(chart.series.slice(0, 12).map(({ label }) => label))
    expect(layoutFaults(picture)).toEqual([])
  })

  test('in charts of 12 series with long names at the smallest size, and none is missing from the legend', () => {
    const series = Array.from({ length: 12 }, (_, i) => ({
      id: `s${i}`,
      label: `${i} Realized price of short-term holders in halving epoch ${i}`,
      unit: 'USD',
      values: Float64Array.of(i, i + 1, i + 2),
    }))
    const days = dayRange(20000, 3)
    const picture = drawPicture({ title: 'T', source: '', x: { kind: 'date', days }, series, width: 600, height: 300 })
    expect(layoutFaults(picture)).toEqual([])
    const legend = picture.texts.filter(({ group }) => group === 'legend').map(({ text }) => text)
    expect(legend).toHaveLength(12)
    for (const [i, text] of legend.entries()) expect(text.startsWith(`${i} Re`)).toBe(true)
  })
})
