import { describe, expect, test } from 'vitest'
import { conditionStates, findCrossings, unknown } from '#alerts/conditions.ts'
import { percentileRank } from '#base/percentile-rank.ts'
import type { AlertCondition } from '#contract/alerts.ts'
import { Random } from '../support/random.ts'

const none = Number.NaN
const statesOf = (condition: AlertCondition, ...values: number[]): string =>
  [...conditionStates(condition, Float64Array.from(values))]
    .map((state) => (state === unknown ? '?' : String(state)))
    .join('')

describe('by hand', () => {
  test('levels and ranges exclude their bounds', () => {
    expect(statesOf({ kind: 'above', value: 2 }, 1, 2, 2.1, none, 1)).toBe('001?0')
    expect(statesOf({ kind: 'below', value: 2 }, 1, 2, none, 3)).toBe('10?0')
    expect(statesOf({ kind: 'outside', low: 1, high: 3 }, 1, 3, 0.9, 3.1, none, 2)).toBe('0011?0')
  })

  test('a change is measured from every one of the days before', () => {
    const change = { kind: 'change', percent: 10, days: 3 } as const
    // 100 to 111 within two days, though no single day rises by more than 6 %; on the last day 100
    // is four days ago.
    expect(statesOf({ ...change, direction: 'rise' }, 100, 105.5, 111, 111, 111)).toBe('?0110')
    expect(statesOf({ ...change, direction: 'fall' }, 100, 105.5, 111, 99, 99)).toBe('?0011')
    expect(statesOf({ ...change, direction: 'either' }, 100, 110, 89.9, none, 100)).toBe('?01?1')
    // Of a negative value too, towards 0 is a rise; of 0 there is no percentage.
    expect(statesOf({ ...change, direction: 'rise' }, -100, -80, -120)).toBe('?10')
    expect(statesOf({ ...change, direction: 'rise' }, 0, 5, 0, 5, 5, 5, 5.4)).toBe('??00000')
    expect(statesOf({ ...change, days: 1, direction: 'rise' }, 100, none, 200, 230)).toBe('???1')
  })

  test('an all-time high is above every earlier value, of which there is one', () => {
    expect(statesOf({ kind: 'all_time_high' }, none, 5, 4, 5, 6, none, 6, 7)).toBe('??001?01')
  })

  test('crossings are changes from false to true; what is unknown neither fires nor resets', () => {
    const states = (text: string): Int8Array => Int8Array.from(text, (one) => (one === '?' ? unknown : Number(one)))
    expect(findCrossings(states('0110?1?1'))).toEqual({ rows: [1, 5], isMet: true })
    expect(findCrossings(states('01?1?0'))).toEqual({ rows: [1], isMet: false })
    // What is true when it begins does not fire.
    expect(findCrossings(states('?1101'))).toEqual({ rows: [4], isMet: true })
    expect(findCrossings(states('0101'), 2, true)).toEqual({ rows: [3], isMet: true })
    expect(findCrossings(states('1111'), 3, false)).toEqual({ rows: [3], isMet: true })
    expect(findCrossings(states('01'), 2, true)).toEqual({ rows: [], isMet: true })
    expect(findCrossings(states('01'), -5, null)).toEqual({ rows: [1], isMet: true })
    expect(findCrossings(states('???'))).toEqual({ rows: [], isMet: null })
  })
})

describe('by brute force', () => {
  const source = new Random(37)
  const random = () => source.next()
  const values = Float64Array.from({ length: 700 }, () => {
    const kind = random()
    return kind < 0.1 ? none : kind < 0.2 ? 0 : Math.round(200 * (random() - 0.3)) / 10
  })
  const known = (row: number): Float64Array => values.subarray(0, row + 1).filter((value) => !Number.isNaN(value))
  /** From the definition, row by row. */
  const expected = (isMet: (value: number, row: number) => boolean | undefined): number[] =>
    Array.from(values, (value, row) => (Number.isNaN(value) ? unknown : Number(isMet(value, row) ?? unknown)))

  test.each([1, 50, 90.5, 99])('more than percentile %d', (percentile) => {
    const states = conditionStates({ kind: 'percentile', percentile }, values)
    expect([...states]).toEqual(
      expected((value, row) => (known(row).length < 100 ? undefined : percentileRank(known(row), value) > percentile)),
    )
    expect(new Set(states).size).toBe(3)
  })

  test('all-time highs', () => {
    expect([...conditionStates({ kind: 'all_time_high' }, values)]).toEqual(
      expected((value, row) => {
        const before = known(row).subarray(0, -1)
        return before.length === 0 ? undefined : before.every((one) => value > one)
      }),
    )
  })

  test('a change over a year of a long history takes milliseconds, whatever its shape', () => {
    const start = process.cpuUsage()
    for (const shape of [(day: number) => day, (day: number) => -day, (day: number) => Math.sin(day)]) {
      const long = Float64Array.from({ length: 7_000 }, (_, day) => 10_000 + shape(day))
      conditionStates({ kind: 'change', percent: 1e9, days: 365, direction: 'either' }, long)
    }
    // Comparing each pair of days took a second.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(300)
  })

  test.each(['rise', 'fall', 'either'] as const)('a %s within any number of days', (direction) => {
    for (const [percent, days] of [
      [50, 1],
      [300, 7],
      [900, 365],
    ] as const) {
      const states = conditionStates({ kind: 'change', percent, days, direction }, values)
      expect([...states]).toEqual(
        expected((value, row) => {
          const changes: number[] = []
          for (let back = 1; back <= days && back <= row; back++) {
            const one = values[row - back]!
            if (Math.abs(one) > 0) changes.push((100 * (value - one)) / Math.abs(one))
          }
          if (changes.length === 0) return undefined
          const [lowest, highest] = [Math.min(...changes), Math.max(...changes)]
          if (direction === 'rise') return highest > percent
          return direction === 'fall' ? lowest < -percent : highest > percent || lowest < -percent
        }),
      )
    }
  })
})
