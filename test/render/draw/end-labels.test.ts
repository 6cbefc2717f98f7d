import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { spread } from '#render/draw/end-labels.ts'
import { drawPicture, layoutFaults, type Picture, readAxis } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

const labelsOf = ({ texts }: Picture) => texts.filter(({ group }) => group === 'end-labels')
const namesOf = (picture: Picture) => labelsOf(picture).filter(({ weight }) => weight === 600)
const legendOf = ({ texts }: Picture) => texts.filter(({ group }) => group === 'legend').map(({ text }) => text)

describe('last values', () => {
  test('stand beside the end of their series, in its axis’ own numbers', () => {
    const picture = drawPicture(request([{ unit: 'USD', values: ramp(50, 10_000, 84_321) }]))
    const [label, ...more] = labelsOf(picture)
    expect([label!.text, more]).toEqual(['$84.3k', []])
    const middle = label!.y - 0.364 * label!.size
    expect(Math.abs(middle - readAxis(picture, 'auto:USD')(84_321))).toBeLessThan(0.5)
  })

  test('are those of the last day that is known, and only near the end', () => {
    const values = ramp(400, 1, 400)
    const recent = values.map((value, i) => (i > 395 ? Number.NaN : value))
    const old = values.map((value, i) => (i > 300 ? Number.NaN : value))
    expect(labelsOf(drawPicture(request([{ values: recent }]))).map(({ text }) => text)).toEqual(['396'])
    expect(labelsOf(drawPicture(request([{ values: old }])))).toEqual([])
  })

  test('can be left out', () => {
    expect(labelsOf(drawPicture(request([{ values: ramp(9, 1, 2) }], { last_values: false })))).toEqual([])
  })

  test('do not stand at cycles, which end at different places', () => {
    const x = { kind: 'day_offset', days: Int32Array.from({ length: 9 }, (_, i) => i), firstDay: 0 } as const
    expect(labelsOf(drawPicture(request([{ values: ramp(9, 1, 2), cycleStart: 0 }], { x })))).toEqual([])
  })
})

describe('direct labels', () => {
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ label: `Series ${i}`, values: ramp(60, 1, 5 + i / 100) }))

  test('take the place of the legend, and none covers another where series end close together', () => {
    const picture = drawPicture(request(crowd(8), { labels: 'direct' }))
    expect(legendOf(picture)).toEqual([])
    expect(namesOf(picture)).toHaveLength(8)
    expect(layoutFaults(picture)).toEqual([])
    // Each value is regular, on the line of its name, and apart from it.
    const values = labelsOf(picture).filter(({ weight }) => weight === 400)
    expect(values).toHaveLength(8)
    for (const name of namesOf(picture)) {
      const value = values.find(({ y }) => y === name.y)!
      expect(value.left - name.right).toBeGreaterThan(0.3 * name.size)
    }
    // In the order of the last values, largest first.
    const fromTop = namesOf(picture).sort((one, other) => one.y - other.y)
    expect(fromTop.map(({ text }) => text.split(' ')[1])).toEqual(['7', '6', '5', '4', '3', '2', '1', '0'])
  })

  test('stand in the middle of the bands of a stack', () => {
    const parts = [10, 30, 60].map((value, i) => ({
      id: `a${i}`,
      label: `Band ${i}`,
      unit: '%',
      stacked: true,
      values: new Float64Array(40).fill(value),
    }))
    const picture = drawPicture(request(parts, { labels: 'direct', last_values: false }))
    const y = readAxis(picture, 'auto:%')
    const middles = labelsOf(picture).map(({ text, y: baseline, size }) => [text, baseline - 0.364 * size] as const)
    const expected = new Map([
      ['Band 0', 5],
      ['Band 1', 25],
      ['Band 2', 70],
    ])
    for (const [text, middle] of middles) expect(Math.abs(middle - y(expected.get(text)!))).toBeLessThan(0.5)
    expect(middles).toHaveLength(3)
  })

  test('give way to a legend where there is no room for all', () => {
    const picture = drawPicture(request(crowd(30), { labels: 'direct', width: 600, height: 300, last_values: false }))
    expect(legendOf(picture)).toHaveLength(30)
    expect(labelsOf(picture)).toEqual([])
  })
})

test('places are spread within their bounds, apart from each other, and stay where they are if they can', () => {
  const wanted = fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { maxLength: 20 })
  fc.assert(
    fc.property(wanted, (places) => {
      places.sort((one, other) => one - other)
      const found = spread(places, 20, 10, 490)
      for (const [i, place] of found.entries()) {
        expect(place).toBeGreaterThanOrEqual(10 - 1e-9)
        expect(place).toBeLessThanOrEqual(490 + 1e-9)
        if (i > 0) expect(place - found[i - 1]!).toBeGreaterThanOrEqual(20 - 1e-9)
      }
    }),
  )
  expect(spread([30, 100, 105], 20, 0, 500)).toEqual([30, 100, 120])
  expect(spread([480, 490], 20, 0, 490)).toEqual([470, 490])
})
