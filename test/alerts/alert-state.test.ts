import { describe, expect, test } from 'vitest'
import { type AlertState, advance } from '#alerts/alert-state.ts'
import { conditionStates, findCrossings } from '#alerts/conditions.ts'
import type { AlertCondition } from '#contract/alerts.ts'
import { Random } from '../support/random.ts'

const firstDay = 1_000
const none = Number.NaN
const above: AlertCondition = { kind: 'above', value: 1 }

/** An alert that is evaluated again and again: `days` are closed, `open` days follow them. */
class Evaluated {
  state: AlertState | undefined
  readonly fired: (number | string)[] = []
  readonly #condition: AlertCondition

  constructor(condition = above) {
    this.#condition = condition
  }

  /** The rows that it fired for, with an asterisk for the open day. */
  look(days: readonly number[], ...open: number[]): (number | string)[] {
    const series = {
      firstDay,
      closedDay: firstDay + days.length - 1,
      values: Float64Array.from([...days, ...open]),
      height: open.length > 0 ? 7 : null,
      eachBlock: true,
    }
    const { state, crossings } = advance(this.#condition, series, this.state)
    this.state = state
    const rows = crossings.map(({ day, height }) => (height === null ? day - firstDay : `${day - firstDay}*`))
    this.fired.push(...rows)
    return rows
  }
}

describe('an alert fires', () => {
  test('not for what is true when it begins, but when it becomes true again', () => {
    const alert = new Evaluated()
    expect([alert.look([0, 0, 2]), alert.look([0, 0, 2, 2]), alert.look([0, 0, 2, 2, 0])]).toEqual([[], [], []])
    expect(alert.look([0, 0, 2, 2, 0, 2])).toEqual([5])
    expect(alert.look([0, 0, 2, 2, 0, 2, 3])).toEqual([])
  })

  test('nor for the open day on which it began as true, also after that day closes', () => {
    const alert = new Evaluated()
    alert.look([0, 0], 2)
    expect([alert.look([0, 0], 3), alert.look([0, 0, 2]), alert.look([0, 0, 2], 2)]).toEqual([[], [], []])
    const other = new Evaluated()
    other.look([0, 0], 2)
    expect([other.look([0, 0], 0), other.look([0, 0], 2)]).toEqual([[], ['2*']])
  })

  test('once a day, however often blocks change the open day', () => {
    const alert = new Evaluated()
    alert.look([0, 0])
    const open = [2, 0, 2, none, 0, 2].map((value) => alert.look([0, 0], value))
    expect(open).toEqual([['2*'], [], [], [], [], []])
    expect([alert.look([0, 0, 2]), alert.look([0, 0, 2], 2)]).toEqual([[], []])
  })

  test('again on the next day if the day closed below', () => {
    const alert = new Evaluated()
    alert.look([0, 0])
    expect([alert.look([0, 0], 2), alert.look([0, 0, 0]), alert.look([0, 0, 0], 2)]).toEqual([['2*'], [], ['3*']])
  })

  test('once if the next day opens before the last one is published', () => {
    const alert = new Evaluated()
    alert.look([0, 0], 0)
    expect([alert.look([0, 0], none, 2), alert.look([0, 0, 2]), alert.look([0, 0, 2], 2)]).toEqual([['3*'], [], []])
    const fired = new Evaluated()
    fired.look([0, 0])
    expect([fired.look([0, 0], 2), fired.look([0, 0], none, 2), fired.look([0, 0, 2], 2)]).toEqual([['2*'], [], []])
  })

  test('for every day that it missed', () => {
    const alert = new Evaluated()
    alert.look([0])
    expect(alert.look([0, 2, 0, none, 2, 2, 0, 2], 3)).toEqual([1, 4, 7])
  })

  test('for days whose values come late, but not for corrections of days that it knew', () => {
    const alert = new Evaluated()
    alert.look([0, 0])
    alert.look([0, 0, none, none])
    expect(alert.look([0, 0, 2, 0, 0])).toEqual([2])
    expect([alert.look([2, 0, 2, 2, 0]), alert.look([0, 2, 0, 2, 0, 0])]).toEqual([[], []])
    // The newest day was not met and now was, so the next day is news; and the reverse.
    expect([alert.look([0, 0, 0, 0, 0, 2]), alert.look([0, 0, 0, 0, 0, 2, 2])]).toEqual([[], [6]])
    expect([alert.look([0, 0, 0, 0, 0, 2, 0]), alert.look([0, 0, 0, 0, 0, 2, 0, 2])]).toEqual([[], [7]])
  })

  test('for no earlier day after a rollback', () => {
    const alert = new Evaluated()
    alert.look([0])
    expect([alert.look([0, 2]), alert.look([0]), alert.look([0, 2]), alert.look([0, 2, 0, 2])]).toEqual([
      [1],
      [],
      [],
      [3],
    ])
  })

  test('for nothing of the past if the metric had no values before', () => {
    const alert = new Evaluated()
    alert.look([none, none])
    expect([alert.look([0, 2, none]), alert.look([0, 2, 0, 2])]).toEqual([[], [3]])
  })

  test('on the days that a trial shows, whatever is published at once', () => {
    const random = new Random(5)
    for (let round = 0; round < 50; round++) {
      const all = Array.from({ length: 200 }, () => (random.next() < 0.1 ? none : random.between(0, 2)))
      const alert = new Evaluated()
      let seen = random.between(1, 20)
      const begin = seen
      alert.look(all.slice(0, seen))
      for (; seen < all.length; seen += random.between(0, 5)) alert.look(all.slice(0, seen))
      alert.look(all)
      const { rows } = findCrossings(conditionStates(above, Float64Array.from(all)))
      expect(alert.fired).toEqual(rows.filter((row) => row >= begin))
    }
  })
})

test('an alert without values for days says so', () => {
  const alert = new Evaluated()
  alert.look([0, 2, none, none, none, none, none])
  expect(alert.state).toMatchObject({ isMet: true, asOf: firstDay + 1, value: 2, paused: null })
  alert.look([0, 2, none, none, none, none, none, none])
  expect(alert.state?.paused).toBe('it has had no value since 1972-09-28')
  alert.look([none, none])
  expect(alert.state?.paused).toBe('it has no value on any day that you can see')
  alert.look([0, 2, none, none, none, none, none, none, 2])
  expect(alert.state).toMatchObject({ paused: null, asOf: firstDay + 8 })
})
