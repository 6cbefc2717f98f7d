import { describe, expect, test } from 'vitest'
import type { IntervalName } from '#contract/chart-options.ts'
import type { RequestedSeries } from '#render/request/request.ts'
import { drawPicture, type Picture } from '../picture.ts'
import { ramp, request } from '../small-request.ts'

/** 2024-01-07, a Sunday. */
const sunday = 19729

function draw(interval: IntervalName, days: readonly number[], series: Partial<RequestedSeries> = {}): Picture {
  const values = ramp(days.length, 1, 2)
  const one = { id: 'a', style: 'bar' as const, values, ...series }
  return drawPicture(request([one], { x: { kind: 'date', days: Int32Array.from(days), interval } }))
}

const note = ({ texts }: Picture) => texts.map(({ text }) => text).find((text) => text.startsWith('The newest'))
const bars = ({ document }: Picture) =>
  [
    ...document
      .querySelector('.series')!
      .getAttribute('d')!
      .matchAll(/M(\d+),\d+v[-\d.]+h(\d+)/g),
  ].map(([, x, width]) => ({
    left: Number(x),
    width: Number(width),
  }))

describe('an unfinished week or month', () => {
  const weeks = Array.from({ length: 20 }, (_, i) => sunday + 7 * i)
  const open = [...weeks.slice(0, -1), weeks.at(-1)! - 5]

  test('is drawn as wide and as far from the one before as a whole one, hatched, and a note says so', () => {
    const [whole, unfinished] = [draw('week', weeks), draw('week', open)]
    expect(bars(unfinished)).toEqual(bars(whole))
    expect([note(whole), note(unfinished)]).toEqual([undefined, 'The newest week is not over (hatched).'])
    expect(whole.document.querySelector('.hatch')).toBeNull()
    const box = unfinished.document.querySelector('.hatch')!.parentElement!
    const [left, width] = ['x', 'width'].map((name) => Number(box.getAttribute(name)))
    const last = bars(unfinished).at(-1)!
    expect([left! <= last.left, left! + width! >= last.left + last.width]).toEqual([true, true])
    expect(left!).toBeGreaterThan(bars(unfinished).at(-2)!.left + last.width)
  })

  test('of lines is not hatched', () => {
    const lines = draw('week', open, { style: 'line' })
    expect(lines.document.querySelector('.hatch')).toBeNull()
    expect(note(lines)).toBe('The newest week is not over.')
  })

  test('ends with the last day of its month', () => {
    // 31 January and 29 February 2024.
    expect(note(draw('month', [sunday + 24, sunday + 53]))).toBeUndefined()
    expect(note(draw('month', [sunday + 24, sunday + 52]))).toBe('The newest month is not over (hatched).')
    expect(note(draw('day', [sunday + 24, sunday + 52]))).toBeUndefined()
  })

  test('is hatched in a table of months, with its year', () => {
    const monthGrid = {
      ...({ measure: 'change', format: 'percent', factor: 1 } as const),
      years: [2024],
      months: new Float64Array(12).fill(1, 0, 2).fill(Number.NaN, 2),
      totals: Float64Array.of(3),
    }
    const table = (last: number) =>
      drawPicture({ ...request([]), x: { kind: 'date', days: Int32Array.of(sunday, last) }, monthGrid })
    expect(table(sunday + 53).document.querySelectorAll('.hatch')).toHaveLength(0)
    expect(table(sunday + 40).document.querySelectorAll('.hatch')).toHaveLength(2)
    expect(note(table(sunday + 40))).toBe('The newest month and year are not over (hatched).')
  })
})
