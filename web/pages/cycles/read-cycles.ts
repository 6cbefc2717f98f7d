import { isoDate, parseDay } from '#base/days.ts'
import type { CycleFamily } from '#contract/cycle-families.ts'
import { readFull } from '../../data/client.ts'
import { readColumns } from '../../data/columns.ts'

/** Unix days; the running cycle ends with the newest day. */
export interface Cycle {
  readonly number: number
  readonly firstDay: number
  readonly lastDay: number
  readonly isRunning: boolean
  readonly isProvisional: boolean
  readonly startPrice: number | undefined
  /** Highest close within the reader's history; `offset` in days. */
  readonly high: { readonly price: number; readonly offset: number } | undefined
}

export interface Cycles {
  /** Newest first. */
  readonly cycles: readonly Cycle[]
  /** Newest day of the running cycle, from 0. */
  readonly today: number
  readonly maxDays: number
  /** The running cycle began before the reader's history. */
  readonly isRunningCut: boolean
  /** First visible date, if the tier limits it. */
  readonly historyFrom: string | undefined
  /** By unix day; undefined if unknown. */
  readonly valueOn: (measure: 'price' | 'drawdown' | 'mvrv', day: number) => number | undefined
}

export async function readCycles(family: CycleFamily): Promise<Cycles> {
  const [{ data }, columns] = await Promise.all([
    readFull('cycle-boundaries', { family, limit: 100 }),
    readColumns(['price', 'drawdown', 'mvrv']),
  ])
  const { firstDay, lastDay, values, isCut } = columns
  const valueOn: Cycles['valueOn'] = (measure, day) => {
    const value = values.get(measure)?.[day - firstDay]
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
  const cycles = data.flatMap(({ cycle, start_date, end_date, start_price, provisional }): Cycle[] => {
    const from = parseDay(start_date)
    const to = end_date === null ? lastDay : parseDay(end_date)
    if (from === undefined || to === undefined || to < from) return []
    // The high may lie before the visible history.
    const high = isCut && from < firstDay ? undefined : highest(from, to, (day) => valueOn('price', day))
    return [
      {
        number: cycle,
        firstDay: from,
        lastDay: to,
        isRunning: end_date === null,
        isProvisional: provisional,
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
