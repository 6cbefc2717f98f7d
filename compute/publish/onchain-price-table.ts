import type { DuckDBConnection } from '@duckdb/node-api'
import { hoursPerDay } from '#base/days.ts'
import { pacedTurns } from '#base/own-turn.ts'
import { outputBins } from '#contract/output-bins.ts'
import type { PriceAnchor } from '#contract/pricing.ts'
import { tables } from '#contract/tables/tables.ts'
import type { Relation } from '#sql/relation.ts'
import { type PassState, readArray, type StoredState } from '../cohorts/pass-state.ts'
import { methodVersion, OnchainPrices } from '../price-onchain/onchain-prices.ts'
import { decisionDays } from '../price-onchain/price-path.ts'
import { addPacked } from '../scan/output-hours.ts'
import { type NewDays, newDates } from './closed-days.ts'
import type { Draft } from './draft.ts'

const stateNames = ['onchain price of most outputs', 'onchain price of few outputs'] as const

/** Days whose hours are read at once: some 50 MB in busy years. */
const daysPerStep = 400

/**
 * Writes `price_onchain`. Also returns the state after the day of the next checkpoint.
 * @param before state after the day before the new ones
 */
export async function writeOnchainPrices(
  draft: Draft,
  newDays: NewDays,
  hours: Relation<'segment_output_hours'>,
  anchor: PriceAnchor,
  before: StoredState | undefined,
): Promise<{ prices: Relation<'price_onchain'>; atCut: PassState }> {
  const { closed, after, cut } = newDays
  draft.part(tables.price_onchain.name)
  const continues = before !== undefined && after >= anchor.day
  const first = continues ? after + 1 : anchor.day
  const states = continues ? ([readArray(before, stateNames[0]), readArray(before, stateNames[1])] as const) : undefined
  const found = new OnchainPrices(anchor, first, states)
  let atCut: PassState = new Map()
  const bounds = [...new Set([first, (cut ?? closed.last) + 1, closed.last + 1])].filter((day) => day >= first)
  for (const [i, end] of bounds.entries()) {
    for (let day = bounds[i - 1] ?? end; day < end; day += daysPerStep) {
      await addHours(found, draft.connection, hours, day, Math.min(end, day + daysPerStep))
    }
    if (end !== (cut ?? Number.NaN) + 1) continue
    found.endDays(end)
    const [broad, narrow] = found.states
    atCut = new Map([
      [stateNames[0], broad],
      [stateNames[1], narrow],
    ])
  }
  found.endDays(closed.last + 1)
  const days = new Map(found.finish().map((day) => [day.day, day]))
  const dates = newDates(newDays)
  const column = (value: 'price' | 'low' | 'high' | 'disagreement' | 'payments'): Float64Array =>
    Float64Array.from(dates, (date) => days.get(date)?.[value] ?? Number.NaN)
  const prices = draft.growColumns(tables.price_onchain, newDays, {
    date: dates,
    price: column('price'),
    low: column('low'),
    high: column('high'),
    disagreement: column('disagreement'),
    payments_seen: column('payments'),
    provisional: Array.from(dates, (date) => date > closed.last - decisionDays),
    method_version: new Int32Array(dates.length).fill(methodVersion),
  })
  return { prices, atCut }
}

/** Adds the hours of the days from `first` up to before `end`; segments may divide an hour. */
async function addHours(
  found: OnchainPrices,
  connection: DuckDBConnection,
  { from }: Relation<'segment_output_hours'>,
  first: number,
  end: number,
): Promise<void> {
  const result = await connection.stream(
    `SELECT hour, broad, narrow FROM ${from}
     WHERE hour >= ${first * hoursPerDay} AND hour < ${end * hoursPerDay} ORDER BY hour`,
  )
  const counts = [new Uint32Array(outputBins), new Uint32Array(outputBins)] as const
  const turn = pacedTurns()
  let current: number | undefined
  const take = (): void => {
    if (current !== undefined) found.addHour(current, counts)
    for (const side of counts) side.fill(0)
  }
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const rows = chunk.getRows()
    for (const [hour, ...packed] of rows) {
      if (Number(hour) !== current) {
        take()
        current = Number(hour)
        await turn()
      }
      for (const [side, text] of packed.entries()) addPacked(String(text), counts[side]!)
    }
  }
  take()
}
