import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { parseDay } from '#base/days.ts'
import { samples } from '#compute/address-sample.ts'
import { AddressTable, type SavedAddresses } from '#compute/addresses/address-table.ts'
import { BalancePass, partitions } from '#compute/addresses/balance-pass.ts'
import { readEvents } from '#compute/publish/address-balances.ts'
import { writeParquet } from '#sql/parquet.ts'
import { filesRelation, type Relation } from '#sql/relation.ts'
import { withSession } from '#sql/session.ts'
import { createOnce, measure, peakMemory, print } from './report.ts'

const firstDay = parseDay('2009-01-03')
const days = 6_500
/**
 * As many outputs of as many addresses as a sample of one in 64 of mainnet's has; nearly all are
 * spent.
 */
const outputs = 40_000_000
const outputsPerAddress = 1.84
/** Segments are joined, by time. */
const daysPerFile = 130
/** The longest time since a checkpoint. */
const daysSince = 41

/**
 * What the balances of a sample as large as mainnet's take: from genesis, and in a night, from a
 * checkpoint on.
 */
export async function benchBalances(folder: string): Promise<void> {
  const target = path.join(folder, 'address-events')
  const files = Array.from({ length: days / daysPerFile }, (_, i) => path.join(target, `${i}.parquet`))
  await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
    console.log(`making ${outputs} outputs of addresses, unless they are there (a minute, 1 GB)`)
    await createOnce(target, (unfinished) => writeEvents(connection, unfinished))
    const addressEvents = filesRelation('segment_address_events', files)
    const cut = days - daysSince
    const saved = new Map<number, SavedAddresses>()
    const first = await measure(() => pass(connection, addressEvents, { after: -1, cut, saved, before: undefined }))
    const inputs = { after: cut, cut: undefined, saved, before: first.result.sumsAfter(cut) }
    const night = await measure(() => pass(connection, addressEvents, inputs))
    print(
      'balances of a sample, from genesis',
      `${first.seconds.toFixed(1)} s (${first.cpuSeconds.toFixed(1)} s CPU)`,
      {
        beside: peakMemory(),
        aim: '300 s',
      },
    )
    print('balances in a night', `${night.seconds.toFixed(2)} s (${night.cpuSeconds.toFixed(2)} s CPU)`, { aim: '3 s' })
  })
}

interface PassInputs {
  readonly after: number
  readonly cut: number | undefined
  readonly saved: Map<number, SavedAddresses>
  readonly before: Float64Array | undefined
}

async function pass(
  connection: DuckDBConnection,
  addressEvents: Relation<'segment_address_events'>,
  { after, cut, saved, before }: PassInputs,
): Promise<BalancePass> {
  const price = Float64Array.from({ length: days }, (_, day) => Math.exp(day / 600) * (1 + 0.3 * Math.sin(day / 50)))
  const sample = samples.sample!
  const balances = new BalancePass({
    ...{ sample, firstDay, after, days, before, price, cost: price, cut },
    onCut: (partition, table, isSampled) =>
      saved.set(
        partition,
        table.capture((slot) => isSampled(slot) || table.sats[slot]! > 0),
      ),
  })
  const closed = { first: firstDay, last: firstDay + days - 1, count: days }
  for (let partition = 0; partition < partitions; partition++) {
    const events = await readEvents(connection, { addressEvents }, { closed, after: firstDay + after }, partition)
    // All are of the sample.
    for (let i = 0; i < events.count; i++) {
      events.lows[i] = ((events.lows[i]! & ~(sample.modulus - 1)) | sample.residue) >>> 0
    }
    const table = new AddressTable()
    const known = before && saved.get(partition)
    if (known) table.restore(known, events)
    balances.addPartition(partition, table, events)
  }
  const supply = new Float64Array(days - after - 1).fill(1e15)
  try {
    balances.finish(supply, supply, 0)
  } catch (error) {
    // Addresses do not hold what the supply of this chain is.
    if (!(error instanceof RangeError)) throw error
  }
  return balances
}

async function writeEvents(connection: DuckDBConnection, folder: string): Promise<void> {
  const random = (seed: number): string => `((hash(i, ${seed}) % 1000000) + 1) / 1e6`
  await connection.run(
    `CREATE TEMP TABLE made_outputs AS
     SELECT hash(i * 7919 % ${Math.round(outputs / outputsPerAddress)}) AS id, (${days - 1} * sqrt(${random(1)}))::INTEGER AS created,
       created + least(20000, -ln(${random(2)}) * 8 * (1 + hash(i, 5) % 20))::INTEGER AS spent, exp(5 + 17 * ${random(3)})::BIGINT AS sats
     FROM range(${outputs}) AS t(i)`,
  )
  const rows = (day: string, received: string, spent: string): string =>
    `SELECT DATE '1970-01-01' + ${firstDay} + ${day} AS date, DATE '1970-01-01' + ${firstDay} + created AS created_date,
       [1, 3, 4, 6][1 + (id % 4)::INTEGER]::INTEGER AS type, (id >> 32)::UINTEGER AS high, (id & 4294967295)::UINTEGER AS low,
       ${received} AS received_sats, ${spent} AS spent_sats
     FROM made_outputs WHERE ${day} >= $first AND ${day} < $first + ${daysPerFile}`
  for (let i = 0; i < days / daysPerFile; i++) {
    const both = `${rows('created', 'sats', '0::BIGINT')} UNION ALL ${rows('spent', '0::BIGINT', 'sats')}`
    const query = `SELECT * FROM (${both.replaceAll('$first', String(i * daysPerFile))}) ORDER BY date, high, low`
    await writeParquet(connection, path.join(folder, `${i}.parquet`), query)
  }
  await connection.run('DROP TABLE made_outputs')
}
