import { describe, expect, test } from 'vitest'
import { findDomain } from '#render/draw/domain.ts'
import { describeChart } from '#render/output/metadata.ts'
import type { RequestedAxis, RequestedSeries } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { drawPicture, labelValue, type Picture } from '../picture.ts'
import { request } from '../small-request.ts'

const years = 10
/** Ten years of values around 10, with `outliers` at given days. */
const calm = (outliers: Readonly<Record<number, number>>): Float64Array =>
  Float64Array.from({ length: years * 365 }, (_, i) => outliers[i] ?? 10 + Math.sin(i))

const draw = (series: Partial<RequestedSeries>, axis: Partial<RequestedAxis> = {}) =>
  request([{ label: 'Fees', y_axis_id: 'y', color: '#1f6fd6', ...series }], { axes: [{ id: 'y', ...axis }] })

const numbers = ({ texts }: Picture) =>
  texts.filter(({ group }) => group === 'ticks').map(({ text }) => labelValue(text))
const marks = ({ document }: Picture) => [...document.querySelectorAll('.beyond')].map((one) => one.getAttribute('d')!)
const note = ({ texts }: Picture) => texts.map(({ text }) => text).find((text) => text.startsWith('Beyond'))

describe('the default range of an axis', () => {
  test.each(['linear', 'log'] as const)(
    'leaves out a few old outliers on a %s axis, marks them, and names the largest',
    (scale) => {
      const asked = draw({ values: calm({ 100: 5_000, 101: 9_000, 700: 4_000 }) }, { scale })
      const picture = drawPicture(asked)
      expect(Math.max(...numbers(picture))).toBeLessThan(20)
      // A triangle for both neighbours, and one for the other.
      expect(marks(picture).map((d) => d.split('M').length - 1)).toEqual([2])
      const sentence = 'Beyond the axis (triangles): Fees up to 9,000 (11 Apr 2024, 3 values).'
      expect(note(picture)).toBe(sentence)
      expect(picture.document.querySelector('desc')?.textContent).toContain(sentence)
      expect(describeChart(buildSpecification(asked)).remarks).toEqual([sentence])
    },
  )

  test.each([
    ['of the last twelve months', { [years * 365 - 300]: 5_000 }],
    ['of more than a hundredth of the days', Object.fromEntries(Array.from({ length: 40 }, (_, i) => [i, 5_000]))],
    ['that the axis would hardly be longer for', { 100: 12 }],
  ])('contains values %s', (_, outliers) => {
    const picture = drawPicture(draw({ values: calm(outliers) }))
    expect(marks(picture)).toEqual([])
    expect(note(picture)).toBeUndefined()
  })

  test('leaves out outliers of a stack by its sum, and of bars below zero', () => {
    const stack = drawPicture(
      request([
        { id: 'a', label: 'A', stacked: true, style: 'area', values: calm({ 100: 600 }) },
        { id: 'b', label: 'B', stacked: true, style: 'area', values: calm({ 100: 300 }) },
      ]),
    )
    expect(Math.max(...numbers(stack))).toBeLessThan(40)
    expect(note(stack)).toContain('Sum up to 900 (')
    const bars = drawPicture(draw({ style: 'bar', values: calm({ 100: -900 }) }))
    expect(Math.min(...numbers(bars))).toBeGreaterThan(-20)
    expect(note(bars)).toContain('Fees down to −900 (')
  })
})

test.each(['linear', 'log'] as const)(
  'a default %s range is the shortest of all that may leave values out',
  (scale) => {
    const toLength = (value: number) => (scale === 'log' ? Math.log(value) : value)
    let shorter = 0
    for (let seed = 1; seed <= 200; seed++) {
      // From even values to a few extreme ones at either end; the newest, which are always shown,
      // are not extreme.
      const values = Float64Array.from({ length: 1_500 }, (_, i) => {
        const share = Math.abs(Math.sin(seed * 1_000 + i * i)) ** (1 + 600 * (seed % 40)) * (i < 1_135 ? 1 : 0.1)
        return Math.exp(5 * (seed % 2 === 0 ? share : 1 - share))
      })
      const { axes, ...chart } = buildSpecification(draw({ values }, { scale, no_padding: 'both' }))
      const sorted = values.toSorted()
      const newest = values.subarray(-365)
      const spare = values.length / 100
      const ranges = Array.from({ length: spare + 1 }, (_, below) => [
        Math.min(sorted[below]!, ...newest),
        Math.max(sorted[values.length - 1 - spare + below]!, ...newest),
      ])
      const length = ([low = 0, high = 0]: readonly number[]) => toLength(high) - toLength(low)
      const [shortest = []] = ranges.sort((one, other) => length(one) - length(other))
      const all = [sorted[0]!, sorted.at(-1)!]
      const expected = length(shortest) <= length(all) / 2 ? shortest : all
      if (expected === shortest) shorter++
      expect([seed, findDomain(axes[0]!, { axes, ...chart }).domain]).toEqual([seed, expected])
    }
    expect(shorter).toBeGreaterThan(10)
    expect(shorter).toBeLessThan(190)
  },
)

test('values beyond a requested end are marked at that end', () => {
  const picture = drawPicture(draw({ values: Float64Array.of(1, 5, 9, 5, 1) }, { domain_min: 3, domain_max: 7 }))
  const [above, below] = marks(picture)
  const zone = picture.document.querySelector('svg svg')!
  const top = Number(zone.getAttribute('y')) + 1
  const bottom = Number(zone.getAttribute('y')) + Number(zone.getAttribute('height')) - 1
  const tips = (d: string) => [...d.matchAll(/L([\d.]+),([\d.]+)z/g)].map(([, , y]) => Number(y))
  expect(tips(above!)).toEqual([top])
  expect(tips(below!)).toEqual([bottom, bottom])
  expect(note(picture)).toMatch(/up to 9\.00 \(.*\), Fees down to 1\.00 \(.*, 2 values\)\.$/)
})

test('values beyond an end for years are marked where they leave and return, not along the edge', () => {
  const values = Float64Array.from({ length: 3_000 }, (_, i) =>
    i > 800 && i < 2_200 ? 9 - Math.abs(i - 1_500) / 1e3 : 1,
  )
  const [above] = marks(drawPicture(draw({ values }, { domain_min: 0, domain_max: 3 })))
  const triangles = [...above!.matchAll(/M([\d.]+),[\d.]+H([\d.]+)L/g)].map(([, from, to]) => Number(to) - Number(from))
  expect(triangles).toHaveLength(3)
  expect(above!.replaceAll(/M[\d.]+,[\d.]+H[\d.]+L[\d.]+,[\d.]+z/g, '')).toBe('')
  for (const width of triangles) expect(width).toBeLessThan(20)
})
