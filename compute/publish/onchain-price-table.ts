import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { hoursPerDay, isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { pacedTurns } from '#base/own-turn.ts'
import { outputBins } from '#contract/output-bins.ts'
import type { PriceAnchor } from '#contract/pricing.ts'
import { tables } from '#contract/tables/tables.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import type { CloseOn, DailyPrices } from '#ingest/market/prices.ts'
import { isIntact } from '#sql/intact-file.ts'
import type { Relation } from '#sql/relation.ts'
import { readArray, writeState } from '../cohorts/pass-state.ts'
import { onchainPricesFolder } from '../data-folder.ts'
import { methodVersion, OnchainPrices } from '../price-onchain/onchain-prices.ts'
import { decisionDays, stateLength } from '../price-onchain/price-path.ts'
import { addPacked } from '../scan/output-hours.ts'
import type { ScannedBlocks } from '../scan/scanned-chain.ts'
import type { ClosedDays } from './closed-days.ts'
import type { Draft } from './draft.ts'
import { programHash } from './input-key.ts'

const names = ['price', 'low', 'high', 'disagreement', 'payments'] as const

/** Filters whose states are saved. */
const sides: ReadonlySet<string> = new Set(['broad', 'narrow'])

/** By day from `firstDay` on; NaN if unknown. Names as in `OnchainDay`. */
export type OnchainColumns = Readonly<Record<(typeof names)[number], Float64Array>> & { readonly firstDay: number }

/** Days whose hours are read at once: some 50 MB in busy years. */
const daysPerStep = 400
/** The saved state is from this many days before the last closed one. */
const savedDays = 10
/** Days after which a newer state is saved. */
const daysApart = 30

/**
 * Finds the prices of the closed days from the anchor on, if it is one of them. Continues from a
 * saved state, and saves one for later runs.
 * @param openHours opens the scan's hours after a unix day
 */
export async function findOnchainPrices(
  connection: DuckDBConnection,
  dataDir: string,
  { closed, chain }: { readonly closed: ClosedDays; readonly chain: ScannedBlocks },
  anchor: PriceAnchor,
  openHours: (after: number) => Promise<Relation<'segment_output_hours'>>,
): Promise<OnchainColumns | undefined> {
  if (closed.last < anchor.day) return undefined
  const folder = onchainPricesFolder(dataDir)
  const files = existsSync(folder) ? readdirSync(folder) : []
  const fileOf = (day: number): string => path.join(folder, `${day} ${stateKey(day, closed, chain, anchor)}`)
  const saved = files
    .map((name) => Number.parseInt(name, 10))
    .filter((day) => day <= closed.last && files.includes(path.basename(fileOf(day))) && isIntact(fileOf(day)))
    .sort((a, b) => b - a)[0]
  const after = saved ?? anchor.day - 1
  const lengthOf = (name: string): number => (sides.has(name) ? stateLength : after - anchor.day + 1)
  const arrays = [...names, ...sides].map((name) => [name, lengthOf(name)] as const)
  const stored = saved === undefined ? undefined : { file: fileOf(saved), arrays }
  const found = new OnchainPrices(
    anchor,
    after + 1,
    stored && [readArray(stored, 'broad'), readArray(stored, 'narrow')],
  )
  const save = after <= closed.last - savedDays - daysApart ? closed.last - savedDays : undefined
  let states: OnchainPrices['states'] | undefined
  const hours = after < closed.last ? await openHours(after) : undefined
  for (let day = after + 1; hours && day <= closed.last; ) {
    const end = Math.min(day + daysPerStep, save !== undefined && day <= save ? save + 1 : closed.last + 1)
    await addHours(found, connection, hours, day, end)
    found.endDays(end)
    if (end - 1 === save) states = found.states
    day = end
  }
  const days = found.finish()
  const columnOf = (name: (typeof names)[number]): Float64Array =>
    Float64Array.of(...(stored ? readArray(stored, name) : []), ...days.map((day) => day[name]))
  const [price, low, high, disagreement, payments] = names.map(columnOf)
  const columns = { price: price!, low: low!, high: high!, disagreement: disagreement!, payments: payments! }
  if (states && save !== undefined) {
    rmSync(folder, { recursive: true, force: true })
    const upTo = names.map((name) => [name, columns[name].subarray(0, save - anchor.day + 1)] as const)
    writeState(fileOf(save), new Map([...upTo, ['broad', states[0]], ['narrow', states[1]]]))
  }
  return { firstDay: anchor.day, ...columns }
}

/** Hash of everything that would invalidate a state: program, anchor, and last block of the day. */
function stateKey(day: number, closed: ClosedDays, chain: ScannedBlocks, anchor: PriceAnchor): string {
  const block = displayHash(hashAt(chain, closed.lastHeightOn(day)))
  const hash = createHash('sha256')
    .update(programHash())
    .update(JSON.stringify([anchor, block]))
  return hash.digest('hex').slice(0, 32)
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

/** Writes `price_onchain`. */
export function writeOnchainPrices(
  draft: Draft,
  closed: ClosedDays,
  found: OnchainColumns | undefined,
): Relation<'price_onchain'> {
  const date = Int32Array.from({ length: closed.count }, (_, i) => closed.first + i)
  const column = (name: (typeof names)[number]): Float64Array =>
    Float64Array.from(date, (day) => found?.[name][day - found.firstDay] ?? Number.NaN)
  return draft.writeColumns(tables.price_onchain, {
    date,
    price: column('price'),
    low: column('low'),
    high: column('high'),
    disagreement: column('disagreement'),
    payments_seen: column('payments'),
    provisional: Array.from(date, (day) => day > closed.last - decisionDays),
    method_version: new Int32Array(date.length).fill(methodVersion),
  })
}

/** One of the prices is wrong if they differ by more than this fraction on so many days. */
const doubtfulGap = 0.05
const doubtfulDays = 3
/** Older days say nothing of the newest. */
const recentDays = 14

/** Returns the newest gap, as a fraction of the close, if those of the last days are all doubtful. */
export function findPriceGap(
  { firstDay, price }: OnchainColumns,
  closeOn: CloseOn,
  lastDay: number,
): number | undefined {
  const gaps = Array.from({ length: recentDays }, (_, i) => price[lastDay - i - firstDay]! / closeOn(lastDay - i) - 1)
    .filter(Number.isFinite)
    .slice(0, doubtfulDays)
  return gaps.length === doubtfulDays && gaps.every((gap) => Math.abs(gap) > doubtfulGap) ? gaps[0] : undefined
}

/** Longer gaps between prices of the chain are not filled with the last one. */
const maxCarriedDays = 7

/** Throws `data_not_ready` if prices are unknown for too long, or if there are none. */
export function refuseLongGaps(prices: Pick<DailyPrices, 'firstDay' | 'sources'> | undefined, lastDay: number): void {
  const { firstDay, sources } = prices ?? { firstDay: lastDay - maxCarriedDays, sources: [] }
  let days = 0
  for (let day = firstDay; day <= lastDay; day++) {
    days = sources[day - firstDay] ? 0 : days + 1
    if (days <= maxCarriedDays) continue
    const from = isoDate(day - maxCarriedDays)
    throw new CoinstrataError('data_not_ready', `there is no price from the chain for ${from} and the days after it`, {
      cure: 'import the prices of these days with "coinstrata import", or set PRICE_SOURCE=markets',
    })
  }
}
