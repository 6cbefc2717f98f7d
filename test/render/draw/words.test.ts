import { describe, expect, test } from 'vitest'
import { contrastRatio, mixColors } from '#render/draw/color.ts'
import { formatValue } from '#render/draw/number-format.ts'
import { chooseSizes } from '#render/draw/sizes.ts'
import { measure } from '#render/draw/text.ts'
import { themes } from '#render/draw/theme.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { drawPicture, layoutFaults, type Picture } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

const textsOf = ({ texts }: Picture) => texts.map(({ text }) => text)

describe('what a log axis leaves out', () => {
  const log = { scale: 'log' } as const

  test('is counted in the small print', () => {
    const picture = drawPicture(request([{ label: 'A', values: Float64Array.of(1, 0, -5, 10, 100) }], log))
    expect(textsOf(picture)).toContain('A logarithmic axis shows no values of zero or less: 2 left out.')
    expect(layoutFaults(picture)).toEqual([])
  })

  test('is told by series where there are several', () => {
    const parts = [
      { label: 'A', values: Float64Array.of(1, 2, 3) },
      { label: 'B', values: Float64Array.of(0, 2, -3) },
    ]
    expect(textsOf(drawPicture(request(parts, log)))).toContain(
      'A logarithmic axis shows no values of zero or less: 2 of B left out.',
    )
    // Three or more names would not fit a line.
    const many = [
      ...parts,
      { label: 'C', values: Float64Array.of(0, 0, 3) },
      { label: 'D', values: Float64Array.of(0, 1, 1) },
    ]
    expect(textsOf(drawPicture(request(many, log)))).toContain(
      'A logarithmic axis shows no values of zero or less: 5 of 3 series left out.',
    )
  })

  test('is not mentioned where nothing is left out', () => {
    const parts = [{ values: Float64Array.of(0, 2, -3) }]
    expect(textsOf(drawPicture(request(parts))).join()).not.toContain('logarithmic')
    expect(textsOf(drawPicture(request([{ values: ramp(9, 1, 2) }], log))).join()).not.toContain('logarithmic')
  })

  test('is never a whole series: the axis is linear then', () => {
    const parts = [
      { label: 'A', values: Float64Array.of(1, 2, 3) },
      { label: 'B', values: Float64Array.of(0, 0, -3) },
    ]
    const picture = drawPicture(request(parts, log))
    expect(picture.texts.filter(({ group }) => group === 'legend').map(({ text }) => text)).toEqual(['A', 'B'])
    expect(textsOf(picture).join()).not.toContain('left out')
    expect(buildSpecification(request(parts, log))).toMatchObject({
      axes: [{ scale: 'linear' }],
      remarks: ['the axis of B is linear: a logarithmic one cannot show values of zero or less'],
    })
  })
})

describe('for readers who cannot see the picture', () => {
  const told = ({ document }: Picture) => ({
    label: document.documentElement.getAttribute('aria-label'),
    title: document.querySelector('svg > title')!.textContent,
    content: document.querySelector('svg > desc')!.textContent,
  })

  test('there is a title, and a description with last, first, lowest and highest values', () => {
    const values = Float64Array.of(2, 84_321, 1, Number.NaN, 7)
    const picture = drawPicture(request([{ label: 'Price', unit: 'USD', values }], { subtitle: 'How to read it.' }))
    expect(told(picture)).toEqual({
      label: 'Test',
      title: 'Test',
      content:
        'How to read it. Price: last $7.00 on 5 Jan 2024, up from $2.00 on 1 Jan 2024, lowest $1.00 on 3 Jan 2024, highest $84.3k on 2 Jan 2024.',
    })
  })

  test('a chart without a title is named by its series', () => {
    const parts = ['A', 'B'].map((label) => ({ label, values: ramp(9, 1, 2) }))
    expect(told(drawPicture(request(parts, { title: '' }))).label).toBe('A, B')
  })

  test('a series without values says so', () => {
    const content = told(drawPicture(request([{ label: 'A', values: new Float64Array(5).fill(Number.NaN) }]))).content
    expect(content).toBe('A: no values.')
  })
})

describe('around the plot', () => {
  test('small print that has no room is left out by whole parts', () => {
    const source = `Whose data these are · ${'generation '.repeat(9)}· more`
    const footOf = (width: number) =>
      textsOf(drawPicture(request([{ values: ramp(9, 1, 2) }], { source, width, height: 600 }))).filter((text) =>
        text.startsWith('Whose data'),
      )
    expect(footOf(600)).toEqual(['Whose data these are'])
    expect(footOf(2_400)).toEqual([source])
  })

  test.each([1, 2, 4])('the origin of the data is never cut, with text %i times as large', (text_scale) => {
    const brand = { name: 'Coinstrata', address: 'charts.example.org' }
    const source = 'Simulated data · generation 19582-6074d12b of 29 Nov 2026'
    const picture = drawPicture(
      request([{ values: ramp(900, 1, 2) }], { source, brand, text_scale, width: 600, height: 300 }),
    )
    expect(textsOf(picture).join('\n')).toMatch(/^Simulated data( ·|$)/m)
    expect(layoutFaults(picture)).toEqual([])
  })

  test('a subtitle is broken between words, into two lines at most', () => {
    const subtitle = 'word '.repeat(80).trim()
    const { texts } = drawPicture(request([{ values: ramp(9, 1, 2) }], { subtitle, width: 800, height: 600 }))
    const lines = texts.filter(({ text }) => text.startsWith('word'))
    expect(lines.map(({ text }) => text.endsWith('…'))).toEqual([false, true])
    expect(lines[1]!.y).toBeGreaterThan(lines[0]!.bottom)
  })

  test('how to read a ready chart stands on one line of the smallest usual picture', () => {
    const { subtitle: size, margin } = chooseSizes({ width: 600, height: 300, textScale: 1 })
    const long = Object.entries(templates).filter(
      ([, { subtitle }]) => measure({ platform: nodePlatform }, subtitle, size) > 600 - 2 * margin,
    )
    expect(long.map(([id]) => id)).toEqual([])
  })

  test('the label of a zone is legible on its colour', () => {
    for (const theme of ['light', 'dark'] as const) {
      const referenceAreas = [{ y1: 0, y2: 1, fill: '#3a86d8', fill_opacity: 0.35, label: 'Low' }]
      const { texts } = drawPicture(request([{ values: ramp(9, 0, 2) }], { theme, referenceAreas }))
      const { color } = texts.find(({ text }) => text === 'Low')!
      const ground = mixColors(themes[theme].background, '#3a86d8', 0.35)
      expect(contrastRatio(color, ground)).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('the label of a zone keeps clear of marked days', () => {
    const start = 19723
    const verticals = [60, 120, 180, 240, 300, 385].map((days) => ({ day: start + days }))
    const referenceAreas = [{ y1: 3, label: 'Overheated' }]
    const picture = drawPicture(request([{ values: ramp(400, 1, 4) }], { verticals, referenceAreas }))
    const label = picture.texts.find(({ text }) => text === 'Overheated')!
    const lines = [...picture.document.querySelectorAll('.vertical-line')]
    const places = lines.map((line) => Number(/^M([\d.]+),/.exec(line.getAttribute('d')!)![1]))
    expect(places.filter((x) => x > label.left && x < label.right)).toEqual([])
    // By default it would be at the right edge, over the last of them.
    expect(label.right).toBeLessThan(places.at(-1)!)
  })

  test('an axis has its title above its zone, or in it below another zone', () => {
    const titlesIn = (...ranges: [number, number][]) => {
      const axes = ranges.map((range, i) => ({ id: `y${i}`, side: 'left' as const, range, title: `Axis ${i}` }))
      const picture = drawPicture(
        request(
          axes.map(({ id }) => ({ values: ramp(9, 1, 2), y_axis_id: id })),
          { axes },
        ),
      )
      expect(layoutFaults(picture)).toEqual([])
      return picture.texts.filter(({ group }) => group === 'axis-titles').map(({ text }) => text)
    }
    expect(titlesIn([0, 60], [70, 100])).toEqual(['Axis 0', 'Axis 1'])
    expect(titlesIn([0, 60], [61, 100])).toEqual(['Axis 0', 'Axis 1'])
    expect(titlesIn([0, 60], [0, 100])).toEqual(['Axis 1'])
  })

  test('each cycle has its year and last value next to its end', () => {
    const days = Int32Array.from({ length: 100 }, (_, i) => 19_833 + i)
    const cycles = [15_672, 16_991, 19_833].map((cycleStart, i) => ({
      values: Float64Array.from({ length: 100 }, (_, day) => (day < 40 + 20 * i ? (i + 1) * (1 + day) : Number.NaN)),
      cycleStart,
      y_axis_id: 'left',
    }))
    const picture = drawPicture(request(cycles, { x: { kind: 'day_offset', days, firstDay: 19_833 } }))
    const labels = picture.texts.filter(({ group }) => group === 'reference-labels')
    expect(labels.map(({ text }) => text)).toEqual(['2012: 40.0', '2016: 120', '2024: 240'])
    expect(labels.map(({ left }) => left).toSorted((a, b) => a - b)).toEqual(labels.map(({ left }) => left))
    expect(layoutFaults(picture)).toEqual([])
  })

  test('cycles have days since their beginnings below the chart only on request', () => {
    const days = Int32Array.from({ length: 1001 }, (_, i) => 19_833 + i)
    const labelsOf = (countsDays?: boolean) => {
      const values = Float64Array.from({ length: 1001 }, (_, i) => 1 + i)
      const x = { kind: 'day_offset', days, firstDay: 19_833, ...(countsDays && { countsDays }) } as const
      const picture = drawPicture(request([{ values, cycleStart: 19_833, y_axis_id: 'left' }], { x }))
      const group = picture.texts.filter((one) => one.group === 'axis bottom')
      return { labels: group.map(({ text }) => text), foot: textsOf(picture).at(-1), group }
    }
    expect(labelsOf().labels[0]).toMatch(/ ’24$/)
    const { labels, group } = labelsOf(true)
    expect([labels[0], labels.at(-1)]).toEqual(['0', '900'])
    const [first, second] = group.map(({ left, right }) => (left + right) / 2)
    const last = (group.at(-1)!.left + group.at(-1)!.right) / 2
    expect((last - first!) / (second! - first!)).toBeCloseTo(9, 1)
    expect(
      buildSpecification(request([], { x: { kind: 'day_offset', days, firstDay: 1, countsDays: true } })).dateLine,
    ).toBe('Days since each cycle began')
  })

  test('a number and its percent sign stay on one line', () => {
    for (let length = 50; length < 110; length++) {
      const subtitle = `${'x'.repeat(length)} 50 % of the supply`
      const lines = textsOf(drawPicture(request([{ values: ramp(9, 1, 2) }], { subtitle, width: 600, height: 600 })))
      expect(lines.filter((line) => line.startsWith('%'))).toEqual([])
    }
  })

  test('the number at the top of an axis keeps clear of its title', () => {
    const axes = [{ id: 'y', side: 'left' as const, domain_min: 0, domain_max: 100, title: 'Share' }]
    const { document } = drawPicture(request([{ y_axis_id: 'y', values: ramp(9, 0, 100) }], { axes }))
    const [title, top] = ['.axis-titles text', '.ticks text:last-child'].map((name) => document.querySelector(name)!)
    const below = Number(top!.getAttribute('y')) - Number(title!.getAttribute('y'))
    expect(top!.textContent).toBe('100')
    expect(below).toBeGreaterThan(1.25 * Number(title!.getAttribute('font-size')))
    expect(below).toBeLessThan(1.5 * Number(title!.getAttribute('font-size')))
  })

  test('brand, address, source and dates stand at the foot', () => {
    const brand = { name: 'Coinstrata', address: 'charts.example.org' }
    const picture = drawPicture(request([{ values: ramp(9, 1, 2) }], { brand }))
    expect(picture.document.querySelectorAll('.brand rect')).toHaveLength(3)
    expect(textsOf(picture)).toEqual(expect.arrayContaining(['Coinstrata', 'Source: test · charts.example.org']))
    expect(layoutFaults(picture)).toEqual([])
    expect(drawPicture(request([{ values: ramp(9, 1, 2) }])).document.querySelector('.brand')).toBeNull()
  })

  test('marked days have a line, and a label as far as there is room', () => {
    const start = 19723
    const verticals = [
      { day: start + 100, label: 'A halving' },
      { day: start + 101, label: 'The day after' },
      { day: start + 300, label: 'Later' },
      { day: start - 5, label: 'Before' },
    ]
    const picture = drawPicture(request([{ values: ramp(400, 1, 2) }], { verticals }))
    const lines = [...picture.document.querySelectorAll('.vertical-line')].map((line) => line.getAttribute('d')!)
    expect(lines).toHaveLength(3)
    const labels = picture.texts.filter(({ group }) => group === 'verticals')
    expect(labels.map(({ text }) => text)).toEqual(['A halving', 'Later'])
    for (const [i, label] of labels.entries()) {
      const x = Number(/^M([\d.]+),/.exec([lines[0]!, lines[2]!][i]!)![1])
      expect(Math.abs((label.left + label.right) / 2 - x)).toBeLessThan(1)
    }
    expect(layoutFaults(picture)).toEqual([])
  })

  test('many marked days have their labels in several rows, of which an upright picture has most', () => {
    const verticals = Array.from({ length: 15 }, (_, i) => ({ day: 19723 + 20 + 25 * i, label: `Event number ${i}` }))
    const labelled = (width: number, height: number) => {
      const picture = drawPicture(request([{ values: ramp(400, 1, 2) }], { verticals, width, height }))
      expect(layoutFaults(picture)).toEqual([])
      return picture.texts.filter(({ group }) => group === 'verticals').length
    }
    expect([labelled(600, 300), labelled(1200, 675), labelled(1080, 1920)]).toEqual([5, 15, 15])
  })
})

test.each([
  [84_321, 'currency', '$84.3k'],
  [1.2345e12, 'number', '1.23T'],
  [0.012345, 'number', '0.0123'],
  [9.996, 'number', '10.0'],
  [-62.44, 'percent', '−62.4\u00a0%'],
  [0, 'currency', '$0'],
] as const)('%s as %s is written %s', (value, format, text) => {
  expect(formatValue(format, value)).toBe(text)
})
