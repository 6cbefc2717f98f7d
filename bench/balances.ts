import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { parseDay } from '#base/days.ts'
import { samples } from '#compute/address-sample.ts'
import { eventWords } from '#compute/addresses/address-events.ts'
import { addressFiles } from '#compute/addresses/address-files.ts'
import { replayPartition } from '#compute/addresses/address-replay.ts'
import { BalanceSums } from '#compute/addresses/balance-sums.ts'
import { measureBalances } from '#compute/addresses/measure-balances.ts'
import { savedInCheckpoint } from '#compute/addresses/saved-addresses.ts'
import { readPartitions } from '#compute/publish/address-balances.ts'
import { writeParquet } from '#sql/parquet.ts'
import { filesRelation, type Relation } from '#sql/relation.ts'
import { withSession } from '#sql/session.ts'
import { createOnce, formatPeak, formatTimes, measure, print } from './report.ts'

const firstDay = parseDay('2009-01-03')
const days = 6_500
/** Numbers as in a sample of one in 64 mainnet addresses; nearly all outputs are spent. */
const outputs = 40_000_000
const outputsPerAddress = 1.84
/** Segments are joined, by time. */
const daysPerFile = 130
/** Longest time since a checkpoint. */
const daysSince = 41

/**
 * Cost of the balances of a mainnet-sized sample: from genesis, and in a night, from a checkpoint
 * on.
 */
export async function benchBalances(folder: string): Promise<void> {
  const target = path.join(folder, 'address-events')
  const files = Array.from({ length: days / daysPerFile }, (_, i) => path.join(target, `${i}.parquet`))
  await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
    console.log(`making ${outputs} outputs of addresses, unless they are there (a minute, 1 GB)`)
    await createOnce(target, (unfinished) => writeEvents(connection, unfinished))
    const addressEvents = filesRelation('segment_address_events', files)
    const cut = days - daysSince
    const saved = path.join(folder, 'addresses')
    const first = await measure(() => replay(connection, addressEvents, saved, { after: -1, cut, before: undefined }))
    const before = first.result.runningSums(cut)
    const night = await measure(() => replay(connection, addressEvents, saved, { after: cut, cut: undefined, before }))
    print('balances of a sample, from genesis', formatTimes(first), { beside: formatPeak(), aim: '300 s' })
    print('balances in a night', formatTimes(night), { aim: '3 s' })
  })
}

/** @param after the day before the first new one */
async function replay(
  connection: DuckDBConnection,
  addressEvents: Relation<'segment_address_events'>,
  folder: string,
  { after, cut, before }: { after: number; cut: number | undefined; before: Float64Array | undefined },
): Promise<BalanceSums> {
  const price = Float64Array.from({ length: days }, (_, day) => Math.exp(day / 600) * (1 + 0.3 * Math.sin(day / 50)))
  const prices = price.subarray(after + 1)
  const sample = samples.sample!
  const sums = new BalanceSums(sample, prices)
  const files = addressFiles(folder, folder)
  const closed = { first: firstDay, last: firstDay + days - 1, count: days }
  let partition = 0
  for await (const events of readPartitions(connection, addressEvents, { closed, after: firstDay + after })) {
    for (let at = 1; at < events.length; at += eventWords) {
      events[at] = ((events[at]! & ~(sample.modulus - 1)) | sample.residue) >>> 0
    }
    const saved = before && savedInCheckpoint(after, partition)
    replayPartition(sums, partition++, events, saved, files, { sample, firstDay, after, days, price, cost: price, cut })
  }
  sums.accumulate(before)
  // Without a supply, which this chain's addresses do not hold.
  measureBalances(sums, { sample, firstDay: firstDay + after + 1, prices })
  return sums
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
