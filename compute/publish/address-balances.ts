import type { DuckDBConnection } from '@duckdb/node-api'
import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { addressTypes, balanceMeasureNames } from '#contract/balance-measures.ts'
import { tables } from '#contract/tables/tables.ts'
import { createTable, streamColumns } from '#sql/columns.ts'
import type { Relation } from '#sql/relation.ts'
import { type AddressMode, samples } from '../address-sample.ts'
import { AddressTable } from '../addresses/address-table.ts'
import { BalancePass, type PartitionEvents, partitions } from '../addresses/balance-pass.ts'
import { BalanceStore } from '../addresses/balance-store.ts'
import { type Estimate, isShown } from '../addresses/estimates.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import { type PassState, readState } from '../cohorts/pass-state.ts'
import { type ScannedBlocks, type ScannedChain, scannedUnits } from '../scan/scanned-chain.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'
import type { DailyState } from './flow-pass.ts'

interface BalanceInputs {
  readonly dataDir: string
  readonly scanned: ScannedChain
  readonly chain: Pick<ScannedBlocks, 'hashes'>
  readonly scan: { readonly addressEvents: Relation<'segment_address_events'> }
  readonly newDays: NewDays
  /** By daily closes, which are known before blocks are. */
  readonly basis: CostBasis
  readonly state: DailyState
  readonly addresses: AddressMode
}

/** Names in the saved state, by partition. */
const addressesIn = (partition: number): string => `addresses ${partition}`
const balancesIn = (partition: number): string => `address balances ${partition}`
const spentIn = (partition: number): string => `spent addresses ${partition}`
/** Number of addresses in the sample so far, then 1 for each measure that is shown, else 0. */
const factsName = 'address facts'
const sumsName = 'address sums'

/**
 * Writes `address_balances`, without rows unless addresses are counted. Also returns the state of a
 * sample after the cut day. Throws `audit_failed` if the addresses do not hold what the outputs do,
 * and `data_not_ready` if blocks must be scanned again.
 */
export async function writeAddressBalances(
  draft: Draft,
  inputs: BalanceInputs,
): Promise<{ balances: Relation<'address_balances'>; atCut: PassState }> {
  draft.part('balances of addresses')
  if (inputs.addresses === 'sample') return writeSampled(draft, inputs)
  const rows = inputs.addresses === 'all' ? await countAll(inputs) : []
  return { balances: await writeRows(draft, inputs.newDays, rows), atCut: new Map() }
}

async function countAll({ dataDir, scanned, chain, newDays, basis, state }: BalanceInputs): Promise<BalanceRow[]> {
  const { closed, after } = newDays
  const store = new BalanceStore(dataDir)
  let values: Float64Array
  try {
    const days = { hashes: chain.hashes, days: closed.days }
    values = await store.compute(days, scannedUnits(scanned), basis, closed.last)
  } catch (cause) {
    throw cause instanceof RangeError ? auditFailed(cause.message) : cause
  }
  const first = after + 1 - closed.first
  const supply = supplyOf(state, addressTypes, closed.count)
  const structural = supplyOf(state, ['exposed'], closed.count)
  const rows: BalanceRow[] = []
  for (let day = first; day < closed.count; day++) {
    const measures = values.subarray(balanceMeasureNames.length * day)
    const held = Math.round(measures[balanceMeasureNames.indexOf('supply_over_0')]! * satsPerCoin)
    if (held !== supply[day]) {
      // They are of other blocks than the outputs are, or of damaged ones that were scanned again.
      store.clear()
      const message = `on ${isoDate(closed.first + day)} addresses hold ${held} satoshis; outputs have ${supply[day]}`
      throw new CoinstrataError('data_not_ready', message, {
        cure: 'run "coinstrata update", which scans all blocks again',
      })
    }
    for (const [place, name] of balanceMeasureNames.entries()) {
      const others = name === 'supply_total_exposed' ? structural[day]! / satsPerCoin : 0
      const value = measures[place]! + others
      rows.push({ day: closed.first + day, place, value, low: value, high: value })
    }
  }
  return rows
}

/** The supply of some cohorts together on each day, in satoshis. */
const supplyOf = ({ columns }: DailyState, cohorts: readonly string[], days: number): Float64Array =>
  Float64Array.from({ length: days }, (_, day) =>
    cohorts.reduce((sum, cohort) => sum + columns.get(cohort)!.supply_sats![day]!, 0),
  )

async function writeSampled(
  draft: Draft,
  { scan, newDays, basis, state }: BalanceInputs,
): Promise<{ balances: Relation<'address_balances'>; atCut: PassState }> {
  const { closed, after, cut } = newDays
  const { before } = state
  const { connection } = draft
  const sample = samples.sample!
  const atCut = new Map<string, Float64Array>()
  const first = after + 1 - closed.first
  const cutDay = cut === undefined ? undefined : cut - closed.first
  const [facts, sumsBefore] = before ? readState(before, [factsName, sumsName]) : []
  const pass = new BalancePass({
    ...{
      sample,
      firstDay: closed.first,
      after: first - 1,
      days: closed.count,
      price: basis.price,
      cost: basis.cost,
      cut: cutDay,
    },
    before: sumsBefore,
    onCut: (partition, table, isSampled) => {
      const kept = table.capture((slot) => isSampled(slot) || table.sats[slot]! > 0)
      atCut.set(addressesIn(partition), kept.addresses)
      atCut.set(balancesIn(partition), kept.balances)
      atCut.set(spentIn(partition), kept.spent)
    },
  })
  const [everBefore = 0, ...shownBefore] = facts ?? []
  const newSupply = (cohorts: readonly string[]): Float64Array => supplyOf(state, cohorts, closed.count).subarray(first)
  let measures: Map<string, Estimate[]>
  try {
    for (let partition = 0; partition < partitions; partition++) {
      const table = new AddressTable()
      const names = [addressesIn(partition), balancesIn(partition), spentIn(partition)]
      const [known, balances, spent] = before ? readState(before, names) : []
      const events = await readEvents(connection, scan, newDays, partition)
      if (known && balances && spent) table.restore({ addresses: known, balances, spent }, events)
      pass.addPartition(partition, table, events)
    }
    measures = pass.finish(newSupply(addressTypes), newSupply(['exposed']), everBefore)
  } catch (cause) {
    throw cause instanceof RangeError ? auditFailed(cause.message) : cause
  }
  const rows: BalanceRow[] = []
  const shownAtCut = new Float64Array(1 + balanceMeasureNames.length)
  for (const [place, name] of balanceMeasureNames.entries()) {
    let shown = shownBefore[place] === 1
    for (const [i, estimate] of measures.get(name)!.entries()) {
      shown = isShown(estimate, shown)
      rows.push({ ...estimate, ...(!shown && { value: Number.NaN }), day: after + 1 + i, place })
      if (after + 1 + i === cut) shownAtCut[1 + place] = shown ? 1 : 0
    }
  }
  if (cut !== undefined) {
    const { modulus } = sample
    shownAtCut[0] = measures.get('ever')![cut - after - 1]!.value / modulus
    atCut.set(factsName, shownAtCut)
    atCut.set(sumsName, pass.sumsAfter(cut - closed.first))
  }
  return { balances: await writeRows(draft, newDays, rows), atCut }
}

interface BalanceRow extends Estimate {
  readonly day: number
  readonly place: number
}

async function writeRows(
  draft: Draft,
  newDays: NewDays,
  rows: readonly BalanceRow[],
): Promise<Relation<'address_balances'>> {
  const { connection } = draft
  const table = 'estimated_balances'
  const numbers = (name: 'value' | 'low' | 'high') => Float64Array.from(rows, (row) => row[name])
  await createTable(connection, table, {
    day: Int32Array.from(rows, ({ day }) => day),
    place: Int32Array.from(rows, ({ place }) => place),
    ...{ value: numbers('value'), low: numbers('low'), high: numbers('high') },
  })
  const names = balanceMeasureNames.map((name) => `'${name}'`).join(', ')
  const written = await draft.grow(
    tables.address_balances,
    newDays,
    `SELECT date, measure, value, low, high FROM (
       SELECT DATE '1970-01-01' + day AS date, [${names}][place + 1] AS measure, value, low, high FROM ${table}
     ) ORDER BY date, measure`,
  )
  await connection.run(`DROP TABLE ${table}`)
  return written
}

/** Reads the events of new days in a partition. */
export async function readEvents(
  connection: DuckDBConnection,
  { addressEvents }: BalanceInputs['scan'],
  { closed, after }: { readonly closed: Pick<NewDays['closed'], 'first' | 'last'>; readonly after: number },
  partition: number,
): Promise<PartitionEvents> {
  const step = 2 ** 32 / partitions
  const where = `date > DATE '${isoDate(after)}' AND date <= DATE '${isoDate(closed.last)}'
    AND high BETWEEN ${partition * step} AND ${(partition + 1) * step - 1}`
  const { count } = await readCount(connection, `SELECT count(*) AS count FROM ${addressEvents.from} WHERE ${where}`)
  const events = {
    count,
    ...{ days: new Int32Array(count), createdDays: new Int32Array(count), types: new Uint8Array(count) },
    ...{ highs: new Uint32Array(count), lows: new Uint32Array(count), sats: new Float64Array(count) },
  }
  const query = `SELECT date, created_date, type, high::DOUBLE AS high, low::DOUBLE AS low,
      (received_sats - spent_sats)::DOUBLE AS sats FROM ${addressEvents.from} WHERE ${where}
    ORDER BY date, high, low, created_date, sats`
  let at = 0
  for await (const { rows, columns } of streamColumns(connection, query)) {
    for (let row = 0; row < rows; row++, at++) {
      events.days[at] = columns.date![row]! - closed.first
      events.createdDays[at] = columns.created_date![row]! - closed.first
    }
    events.types.set(columns.type!, at - rows)
    events.highs.set(columns.high!, at - rows)
    events.lows.set(columns.low!, at - rows)
    events.sats.set(columns.sats!, at - rows)
  }
  return events
}

async function readCount(connection: DuckDBConnection, sql: string): Promise<{ count: number }> {
  const result = await connection.runAndReadAll(sql)
  return { count: Number(result.getRows()[0]?.[0]) }
}
