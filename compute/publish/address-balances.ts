import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ascending } from 'd3-array'
import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { addressTypes, balanceMeasureNames, costMeasures } from '#contract/balance-measures.ts'
import { tables } from '#contract/tables/tables.ts'
import { streamColumns } from '#sql/columns.ts'
import type { Relation } from '#sql/relation.ts'
import { samples } from '../address-sample.ts'
import { AddressEvents } from '../addresses/address-events.ts'
import { addressFiles } from '../addresses/address-files.ts'
import { replayPartition } from '../addresses/address-replay.ts'
import { BalanceStore } from '../addresses/balance-store.ts'
import { BalanceSums } from '../addresses/balance-sums.ts'
import { type Estimate, isShown } from '../addresses/estimates.ts'
import { measureBalances } from '../addresses/measure-balances.ts'
import { partitions, toPartition } from '../addresses/packed-events.ts'
import { savedInCheckpoint } from '../addresses/saved-addresses.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import { type PassState, readArray } from '../cohorts/pass-state.ts'
import { readValue } from '../read-value.ts'
import { type ScannedChain, scannedUnits } from '../scan/scanned-chain.ts'
import type { CheckpointInputs } from './checkpoints.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'
import type { DailyState } from './flow-pass.ts'

interface BalanceInputs extends Pick<CheckpointInputs, 'chain' | 'basis' | 'addresses'> {
  readonly dataDir: string
  readonly scanned: ScannedChain
  readonly events: Relation<'segment_address_events'>
  readonly newDays: NewDays
  readonly state: DailyState
  /** Folder of the next checkpoint, for sampled addresses. */
  readonly nextCheckpoint: string
}

/** Arrays in a checkpoint: 1 for each measure whose value is shown, else 0; and the running sums. */
const shownName = 'shown address measures'
const sumsName = 'address sums'

/**
 * Writes `address_balances`; without rows unless addresses are counted. With a sample, also returns
 * running sums and shown measures after the cut day, for the next checkpoint. Throws `audit_failed`
 * if addresses and outputs hold different amounts, `data_not_ready` if blocks must be scanned again.
 * @param beside ends before the table is written; its queries run while sampled addresses are
 *   replayed
 */
export async function writeAddressBalances<T>(
  draft: Draft,
  inputs: BalanceInputs,
  beside: () => Promise<T>,
): Promise<{ balances: Relation<'address_balances'>; atCut: PassState; made: T }> {
  draft.part('balances of addresses')
  if (inputs.addresses === 'sample') return writeSampled(draft, inputs, beside)
  const made = await beside()
  const cells = inputs.addresses === 'all' ? await countAll(inputs) : createCells(0)
  return { balances: writeCells(draft, inputs.newDays, cells), atCut: new Map(), made }
}

async function countAll({ dataDir, scanned, chain, newDays, basis, state }: BalanceInputs): Promise<BalanceCells> {
  const { closed, after } = newDays
  const store = new BalanceStore(dataDir)
  let values: Float64Array
  try {
    values = await store.compute(chain, scannedUnits(scanned), basis, closed.last)
  } catch (cause) {
    throw cause instanceof RangeError ? auditFailed(cause.message) : cause
  }
  const first = after + 1 - closed.first
  const supply = supplyOf(state, addressTypes, closed.count)
  const publish = publisher(state, supply)
  const structural = supplyOf(state, ['exposed'], closed.count)
  const cells = createCells(closed.count - first)
  for (let day = first; day < closed.count; day++) {
    const measures = values.subarray(balanceMeasureNames.length * day)
    const held = Math.round(measures[balanceMeasureNames.indexOf('supply_over_0')]! * satsPerCoin)
    if (held !== supply[day]) {
      // The addresses were read from other blocks than the outputs, or from blocks that were damaged
      // and then scanned again.
      store.clear()
      const message = `on ${isoDate(closed.first + day)} addresses hold ${held} satoshis; outputs have ${supply[day]}`
      throw new CoinstrataError('data_not_ready', message, {
        cure: 'run "coinstrata update", which scans all blocks again',
      })
    }
    for (const [place, name] of balanceMeasureNames.entries()) {
      const others = name === 'supply_total_exposed' ? structural[day]! / satsPerCoin : 0
      const value = measures[place]! + others
      setCells(cells, day - first, place, publish(name, day, { value, low: value, high: value }))
    }
  }
  return cells
}

/** Joint supply of some cohorts by day, in satoshis. */
const supplyOf = ({ columns }: DailyState, cohorts: readonly string[], days: number): Float64Array =>
  Float64Array.from({ length: days }, (_, day) =>
    cohorts.reduce((sum, cohort) => sum + columns.get(cohort)!.supply_sats![day]!, 0),
  )

/** By measure that is a share of the supply, the power of the supply that it divides by. */
const sharePowers: ReadonlyMap<string, number> = new Map([
  ['top_1_percent', 1],
  ['top_100', 1],
  ['herfindahl', 2],
])

/**
 * Returns a function for the published values: shares are of all coins, and what follows from costs
 * is unknown on days on which the realized cap is.
 * @param held satoshis of all addresses by day
 */
function publisher({ columns }: DailyState, held: Float64Array) {
  const { supply_sats, realized_cap } = columns.get('all')!
  return (name: string, day: number, { value, low, high }: Estimate): Estimate => {
    const isUnknown = costMeasures.has(name) && Number.isNaN(realized_cap![day]!)
    const factor = isUnknown ? Number.NaN : (held[day]! / supply_sats![day]!) ** (sharePowers.get(name) ?? 0)
    return { value: factor * value, low: factor * low, high: factor * high }
  }
}

async function writeSampled<T>(
  draft: Draft,
  { events: table, newDays, basis: { price, cost }, state, nextCheckpoint }: BalanceInputs,
  beside: () => Promise<T>,
): Promise<{ balances: Relation<'address_balances'>; atCut: PassState; made: T }> {
  const { closed, after, cut } = newDays
  const { before } = state
  const sample = samples.sample!
  const first = after + 1 - closed.first
  const cutDay = cut === undefined ? undefined : cut - closed.first
  const inputs = { sample, firstDay: closed.first, after: first - 1, days: closed.count, price, cost, cut: cutDay }
  const prices = price.subarray(first, closed.count)
  const sums = new BalanceSums(sample, prices)
  const files = addressFiles(before ? path.dirname(before.file) : nextCheckpoint, nextCheckpoint)
  const supply = supplyOf(state, addressTypes, closed.count)
  const publish = publisher(state, supply)
  let measures: Map<string, Estimate[]>
  let making: Promise<[PromiseSettledResult<T>]> | undefined
  const makeBeside = () => (making ??= Promise.allSettled([beside()]))
  try {
    let partition = 0
    for await (const events of readPartitions(draft.connection, table, newDays, makeBeside)) {
      const saved = before && savedInCheckpoint(first - 1, partition)
      replayPartition(sums, partition++, events, saved, files, inputs)
      await nextTurn()
    }
    sums.accumulate(before && readArray(before, sumsName))
    const structural = supplyOf(state, ['exposed'], closed.count).subarray(first)
    const known = { supply: supply.subarray(first), structural }
    measures = measureBalances(sums, { sample, firstDay: after + 1, prices, ...known })
  } catch (cause) {
    throw cause instanceof RangeError ? auditFailed(cause.message) : cause
  } finally {
    await making
  }
  const [made] = await makeBeside()
  if (made.status === 'rejected') throw made.reason
  const cells = createCells(closed.count - first)
  const shownBefore = before && readArray(before, shownName)
  const shownAtCut = new Float64Array(balanceMeasureNames.length)
  for (const [place, name] of balanceMeasureNames.entries()) {
    let shown = shownBefore?.[place] === 1
    for (const [i, made] of measures.get(name)!.entries()) {
      const estimate = publish(name, first + i, made)
      shown = isShown(estimate, shown)
      setCells(cells, i, place, shown ? estimate : { ...estimate, value: Number.NaN })
      if (after + 1 + i === cut) shownAtCut[place] = Number(shown)
    }
  }
  const atCut = new Map<string, Float64Array>()
  if (cut !== undefined) {
    atCut.set(shownName, shownAtCut)
    atCut.set(sumsName, sums.runningSums(cut - after - 1))
  }
  return { balances: writeCells(draft, newDays, cells), atCut, made: made.value }
}

/** Columns with a row for each day and measure, in the order of the table. */
type BalanceCells = Readonly<Record<keyof Estimate, Float64Array>>

const sortedNames = balanceMeasureNames.toSorted(ascending)
const rowsOfDay = balanceMeasureNames.map((name) => sortedNames.indexOf(name))

function createCells(days: number): BalanceCells {
  const length = days * sortedNames.length
  return { value: new Float64Array(length), low: new Float64Array(length), high: new Float64Array(length) }
}

/** @param day counted from the first new one */
function setCells(cells: BalanceCells, day: number, place: number, { value, low, high }: Estimate): void {
  const row = day * sortedNames.length + rowsOfDay[place]!
  cells.value[row] = value
  cells.low[row] = low
  cells.high[row] = high
}

function writeCells(draft: Draft, newDays: NewDays, cells: BalanceCells): Relation<'address_balances'> {
  const { length } = cells.value
  const count = sortedNames.length
  return draft.growColumns(tables.address_balances, newDays, {
    ...cells,
    date: Int32Array.from({ length }, (_, row) => newDays.after + 1 + Math.floor(row / count)),
    measure: Array.from({ length }, (_, row) => sortedNames[row % count]!),
  })
}

/** Events to read in one pass, about 160 MB; further partitions take further passes. */
const maxEventsPerRead = 8_000_000

/**
 * Reads the events of new days, one partition after the other.
 * @param onRead called if the first pass has read all events, while no query runs
 */
export async function* readPartitions(
  connection: DuckDBConnection,
  { from }: BalanceInputs['events'],
  { closed, after }: { readonly closed: Pick<NewDays['closed'], 'first' | 'last'>; readonly after: number },
  onRead: () => void = () => {},
): AsyncGenerator<Uint32Array> {
  const selected = `FROM ${from} WHERE date > DATE '${isoDate(after)}' AND date <= DATE '${isoDate(closed.last)}'`
  const count = Number(await readValue(connection, `SELECT count(*)::DOUBLE ${selected}`))
  const perRead = Math.max(1, Math.floor((maxEventsPerRead / count) * partitions))
  const step = 2 ** 32 / partitions
  for (let first = 0; first < partitions; first += perRead) {
    const end = Math.min(first + perRead, partitions)
    const parts = Array.from({ length: end - first }, () => new AddressEvents())
    const query = `SELECT date, created_date, type, high::DOUBLE AS high, low::DOUBLE AS low,
        (received_sats - spent_sats)::DOUBLE AS sats
      ${selected} AND high BETWEEN ${first * step} AND ${end * step - 1}`
    for await (const { rows, columns } of streamColumns(connection, query)) {
      const { date, created_date, type, high, low, sats } = columns
      for (let row = 0; row < rows; row++) {
        const part = parts[toPartition(high![row]!) - first]!
        part.add(date![row]!, created_date![row]!, type![row]!, high![row]!, low![row]!, sats![row]!)
      }
    }
    if (perRead >= partitions) onRead()
    for (const { words } of parts) yield words
  }
}
