import { describe, expect, test } from 'vitest'
import type { RequestedAxis } from '#render/request/request.ts'
import { drawPicture, labelValue, layoutFaults, type PictureText, pathPieces, readAxis } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

/** Minimum distance of tick labels as a fraction of the font size. */
const minGap = (labels: PictureText[]) =>
  Math.min(...labels.slice(1).map(({ y, size }, i) => (labels[i]!.y - y) / size))

describe('axes', () => {
  const domain = (more: Partial<RequestedAxis>, values = ramp(50, 100, 200)) => {
    const picture = drawPicture(request([{ id: 'a', y_axis_id: 'y', values }], { axes: [{ id: 'y', ...more }] }))
    const y = readAxis(picture, 'y', more.scale === 'log')
    const frame = picture.document.querySelector('svg svg')!
    const [top, height] = [Number(frame.getAttribute('y')), Number(frame.getAttribute('height'))]
    return { top: (value: number) => y(value) - top - 1, bottom: (value: number) => top + height - 1 - y(value) }
  }

  test('leave 10 % of air around the data', () => {
    const { top, bottom } = domain({})
    expect(Math.abs(top(210))).toBeLessThan(0.6)
    expect(Math.abs(bottom(90))).toBeLessThan(0.6)
  })

  test('leave it in the logarithm on a log axis', () => {
    const { top, bottom } = domain({ scale: 'log' }, ramp(50, 10, 10_000))
    expect(Math.abs(top(10_000 * 10 ** 0.3))).toBeLessThan(0.8)
    expect(Math.abs(bottom(10 / 10 ** 0.3))).toBeLessThan(0.8)
  })

  test('leave none at the ends that want none', () => {
    expect(Math.abs(domain({ no_padding: 'both' }).top(200))).toBeLessThan(0.6)
    expect(Math.abs(domain({ no_padding: 'bottom' }).bottom(100))).toBeLessThan(0.6)
    expect(Math.abs(domain({ no_padding: 'bottom' }).top(210))).toBeLessThan(0.6)
  })

  test('end where they are clamped', () => {
    const { top, bottom } = domain({ domain_min: 120, domain_max: 150 })
    expect(Math.abs(top(150))).toBeLessThan(0.6)
    expect(Math.abs(bottom(120))).toBeLessThan(0.6)
  })

  test('reach no higher than their ceiling, and lower where the data do', () => {
    expect(Math.abs(domain({ ceiling: 150 }).top(155))).toBeLessThan(0.6)
    expect(Math.abs(domain({ ceiling: 500 }).top(210))).toBeLessThan(0.6)
  })

  test('never show negative prices for the sake of air', () => {
    const picture = drawPicture(request([{ values: ramp(50, 0.05, 100_000) }]))
    expect(picture.texts.filter(({ group, text }) => group === 'ticks' && text.startsWith('−'))).toEqual([])
  })

  const numbers = (picture: ReturnType<typeof drawPicture>) => picture.texts.filter(({ group }) => group === 'ticks')

  test.each([
    ['a tenth to ten', 0.1, 10],
    ['less than a decade', 15_000, 120_000],
    ['hardly any', 60_000, 70_000],
    ['eight decades', 0.05, 5_000_000],
  ])('have five to twelve numbers with room between them on a log axis over %s', (_, from, to) => {
    const labels = numbers(drawPicture(request([{ values: ramp(50, from, to) }], { scale: 'log' })))
    expect(labels.length).toBeGreaterThanOrEqual(5)
    expect(labels.length).toBeLessThanOrEqual(12)
    expect(minGap(labels)).toBeGreaterThan(2)
  })

  test('have four to eleven numbers with room between them at any size, upright too', () => {
    const sizes = [
      [600, 300],
      [1200, 600],
      [2400, 1200],
      [1080, 1920],
    ] as const
    for (const [width, height] of sizes) {
      for (const to of [1, 1.3, 1.7, 2.2, 3, 4, 5.5, 7.5]) {
        const picture = drawPicture(request([{ values: ramp(50, 0, to) }], { width, height }))
        const labels = numbers(picture)
        expect(labels.length).toBeGreaterThanOrEqual(4)
        expect(labels.length).toBeLessThanOrEqual(11)
        expect(minGap(labels)).toBeGreaterThan(2)
      }
    }
    const upright = { width: 1080, height: 1920, scale: 'log' } as const
    for (const to of [2, 20, 2e4]) {
      expect(numbers(drawPicture(request([{ values: ramp(50, 1, to) }], upright))).length).toBeLessThanOrEqual(11)
    }
  })

  test('have two numbers at least in the lower third of the smallest picture', () => {
    for (const [from, to] of [
      [-0.6, 0.7],
      [0, 9],
      [0, 100],
      [-9, 14],
    ] as const) {
      const axes = [
        { id: 'low', side: 'left' as const, range: [0, 28] as [number, number] },
        { id: 'high', side: 'right' as const, range: [32, 100] as [number, number] },
      ]
      const series = [
        { id: 'a', y_axis_id: 'low', values: ramp(50, from, to) },
        { id: 'b', y_axis_id: 'high', values: ramp(50, 1, 2) },
      ]
      const picture = drawPicture(request(series, { axes, width: 480, height: 270 }))
      const low = [...picture.document.querySelectorAll('.ticks[data-id="low"] text')]
      expect(low.length).toBeGreaterThanOrEqual(2)
      expect(layoutFaults(picture)).toEqual([])
    }
  })

  test('drop the unit of a title that has no room, before its name is cut', () => {
    const title = (unit: string) => {
      const series = [{ label: 'Trading volume', unit, y_axis_id: 'y', values: ramp(9, 1, 2) }]
      const { texts } = drawPicture(request(series, { axes: [{ id: 'y' }], width: 600, height: 300 }))
      return texts.find(({ group }) => group === 'axis-titles')?.text
    }
    expect(title('coins of the day')).toBe('Trading volume (coins of the day)')
    expect(title('coins of the day '.repeat(9))).toBe('Trading volume')
  })

  test('without a title take no room for one', () => {
    const top = (unit: string) => {
      const series = [
        { unit, id: 'a', values: ramp(9, 1, 2) },
        { unit, values: ramp(9, 1, 2) },
      ]
      return Number(drawPicture(request(series)).document.querySelector('svg svg')!.getAttribute('y'))
    }
    expect(top('BTC') - top('ratio')).toBeCloseTo(18, 0)
  })

  test('keep to their vertical zone', () => {
    const picture = drawPicture(
      request(
        [
          { id: 'upper', y_axis_id: 'up', values: ramp(50, 5, 10) },
          { id: 'lower', y_axis_id: 'down', values: ramp(50, 5, 10) },
        ],
        {
          axes: [
            { id: 'up', range: [50, 100] },
            { id: 'down', range: [0, 40] },
          ],
        },
      ),
    )
    const heights = (id: string) => pathPieces(picture, `.series[data-id="${id}"]`)[0]!.map(([, y]) => y)
    const [plotTop, plotBottom] = [
      Math.min(...heights('upper')) - (Math.max(...heights('upper')) - Math.min(...heights('upper'))) / 10,
      Math.max(...heights('lower')) + (Math.max(...heights('lower')) - Math.min(...heights('lower'))) / 10,
    ]
    const share = (pixel: number) => (plotBottom - pixel) / (plotBottom - plotTop)
    expect(share(Math.max(...heights('upper')))).toBeGreaterThan(0.5)
    expect(share(Math.min(...heights('lower')))).toBeLessThan(0.4)
  })

  test('write fractions in percent when asked to', () => {
    const picture = drawPicture(
      request([{ unit: 'ratio', y_axis_id: 'y', values: ramp(9, 0.1, 0.5) }], {
        axes: [{ id: 'y', format: 'percent' }],
      }),
    )
    const labels = picture.texts.filter(({ group }) => group === 'ticks').map(({ text }) => text)
    expect(labels).toContain('30\u00a0%')
  })

  test('are grey for series of several colours, in their colour otherwise', () => {
    const alike = [1, 2].map((from) => ({ values: ramp(9, from, 3), color: '#1f6fd6' }))
    const two = drawPicture(request([{ values: ramp(9, 1, 2) }, { values: ramp(9, 1, 3) }]))
    const one = drawPicture(request([{ values: ramp(9, 1, 2), color: '#1f6fd6' }]))
    const colors = (picture: typeof one) =>
      new Set(picture.texts.filter(({ group }) => group === 'ticks').map(({ color }) => color))
    expect(colors(two)).toEqual(new Set(['#5b616b']))
    expect(colors(one)).toEqual(new Set(['#1f6fd6']))
    expect(colors(drawPicture(request(alike)))).toEqual(new Set(['#1f6fd6']))
  })
})

test('a ceiling and a floor keep extremes from widening an axis, and are no limits to what lies between them', () => {
  const domain = (values: Float64Array, axis: object) => {
    const picture = drawPicture(
      request([{ values, y_axis_id: 'y' }], { axes: [{ id: 'y', no_padding: 'both', ...axis }] }),
    )
    const numbers = picture.texts.filter(({ group }) => group === 'ticks').map(({ text }) => labelValue(text))
    return [Math.min(...numbers), Math.max(...numbers)]
  }
  const wild = Float64Array.of(-1000, 1, 2, 3, 1000)
  const bounds = { floor: 0, ceiling: 5 }
  expect(domain(wild, bounds)).toEqual([0, 5])
  const [low, high] = domain(Float64Array.of(1, 2, 3), bounds)
  expect([low! >= 1, high! <= 3]).toEqual([true, true])
})
