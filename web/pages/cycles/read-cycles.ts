import { dayOf, isoDate } from '#base/days.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import { read } from '../../data/client.ts'
import { readColumns } from '../../data/columns.ts'

/** A cycle with its days (unix days); the running one ends with the newest day. */
export interface Cycle {
  readonly number: number
  readonly firstDay: number
  readonly lastDay: number
  readonly isRunning: boolean
  readonly startPrice: number | undefined
  /** Of its highest close so far, as far as the reader's history reaches. */
  readonly high: { readonly price: number; readonly offset: number } | undefined
}

export interface Cycles {
  /** The newest first. */
  readonly cycles: readonly Cycle[]
  /** The day of the running cycle that is the newest one, from 0. */
  readonly today: number
  /** Days of the longest cycle. */
  readonly maxDays: number
  /** The history that the reader may see begins after the running cycle did. */
  readonly isRunningCut: boolean
  /** Where the reader's tier cuts the history. */
  readonly historyFrom: string | undefined
  /** The value of a measure on a unix day; undefined where it is not known. */
  readonly valueOn: (measure: 'price' | 'drawdown' | 'mvrv', day: number) => number | undefined
}

/** The cycles of a family, with the price, drawdown and MVRV of each of their days. Throws `RequestFailure`. */
export async function readCycles(family: CycleFamily): Promise<Cycles> {
  const [{ data }, columns] = await Promise.all([
    read('cycle-boundaries', { family, limit: 100 }),
    readColumns(['price', 'drawdown', 'mvrv']),
  ])
  const { firstDay, lastDay, values, isCut } = columns
  const valueOn: Cycles['valueOn'] = (measure, day) => {
    const value = values.get(measure)?.[day - firstDay]
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
  const cycles = data.flatMap(({ cycle, start_date, end_date, start_price }): Cycle[] => {
    const from = dayOf(start_date)
    const to = end_date === null ? lastDay : dayOf(end_date)
    if (from === undefined || to === undefined || to < from) return []
    // Of a cycle that began before what may be seen the high may have been before that, too.
    const high = isCut && from < firstDay ? undefined : highest(from, to, (day) => valueOn('price', day))
    return [
      {
        number: cycle,
        firstDay: from,
        lastDay: to,
        isRunning: end_date === null,
        startPrice: start_price ?? undefined,
        high,
      },
    ]
  })
  const running = cycles.find(({ isRunning }) => isRunning)
  return {
    cycles,
    today: running ? lastDay - running.firstDay : 0,
    maxDays: Math.max(0, ...cycles.map((cycle) => cycle.lastDay - cycle.firstDay)),
    isRunningCut: isCut && (running?.firstDay ?? 0) < firstDay,
    historyFrom: isCut ? isoDate(firstDay) : undefined,
    valueOn,
  }
}

function highest(from: number, to: number, priceOn: (day: number) => number | undefined): Cycle['high'] {
  let high: Cycle['high']
  for (let day = from; day <= to; day++) {
    const price = priceOn(day)
    if (price !== undefined && (high === undefined || price > high.price)) high = { price, offset: day - from }
  }
  return high
}
