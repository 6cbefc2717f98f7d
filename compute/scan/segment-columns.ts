import { freeMemory } from '#base/free-memory.ts'
import type { WrittenColumn } from '#sql/column-chunk.ts'
import { writeColumns } from '#sql/write-columns.ts'
import type { AddressEventColumns } from '../addresses/address-events.ts'
import { flowColumns } from './flow-rows.ts'
import { joinLimbs } from './limbs.ts'
import type { ScanResult } from './scan.ts'
import type { SegmentTable } from './segment-parts.ts'
import { feeRateColumns, transactionColumns } from './transaction-sums.ts'

/** Writes a table of a segment as Parquet. */
export function writeSegmentTable<Table extends SegmentTable>(
  file: string,
  table: Table,
  rows: ScanResult[Table],
): void {
  const columns = segmentColumns[table](rows)
  writeColumns(file, columns)
  for (const { values } of columns) if (ArrayBuffer.isView(values)) freeMemory(values)
}

/**
 * Sat-seconds stay in two limbs until merged: DuckDB adds 64-bit integers ten times faster than
 * 128-bit ones.
 */
const segmentColumns: { readonly [Table in SegmentTable]: (rows: ScanResult[Table]) => WrittenColumn[] } = {
  flows: (rows) => [date('date', rows.day), date('created_date', rows.created_day), ...flowSums(rows, '')],
  young_spends: (rows) => [
    ...integers(rows, 'hour', 'created_hour'),
    bigint('spent_sats', rows.spent_sats_low, rows.spent_sats_high),
    ...flowSums(rows, '_under_1h'),
    ...flowSums(rows, '_under_24h'),
  ],
  blocks: (rows) => [
    ...integers(rows, 'height'),
    ...bigints(rows, 'time'),
    { name: 'bits', type: 'UINTEGER', values: new Uint32Array(rows.bits) },
    ...integers(rows, 'size', 'weight', 'transactions', 'inputs', 'outputs'),
    ...bigints(rows, 'unspendable_sats'),
    ...integers(rows, 'unspendable_outputs', 'op_return_outputs', 'segwit_outputs', 'taproot_outputs'),
    ...bigints(rows, 'coinbase_sats', 'fees_sats'),
    ...integers(rows, 'dust_outputs', 'op_return_bytes', 'large_op_return_outputs', 'omni_outputs'),
    ...integers(rows, ...transactionColumns),
    ...bigints(rows, ...feeRateColumns),
    bigint('adjusted_sats', rows.adjusted_sats_low, rows.adjusted_sats_high),
    bigint('spent_sats', rows.spent_sats_low, rows.spent_sats_high),
  ],
  histograms: (rows) => [date('date', rows.day), ...integers(rows, 'kind', 'bin'), ...bigints(rows, 'count')],
  kind_flows: (rows) => [
    date('date', rows.day),
    date('created_date', rows.created_day),
    ...integers(rows, 'kind'),
    ...bigints(rows, 'spent_sats'),
    ...integers(rows, 'spent_outputs'),
  ],
  created_kinds: (rows) => [
    date('date', rows.day),
    ...integers(rows, 'kind'),
    ...bigints(rows, 'created_sats'),
    ...integers(rows, 'created_outputs'),
  ],
  young_kinds: (rows) => [...integers(rows, 'hour', 'recency', 'kind'), ...bigints(rows, 'spent_sats')],
  coinbases: ({ text, payouts, ...rows }) => [
    ...integers(rows, 'height'),
    { name: 'text', type: 'VARCHAR', values: text },
    { name: 'payouts', type: 'VARCHAR', values: payouts },
  ],
  output_hours: ({ broad, narrow, ...rows }) => [
    ...integers(rows, 'hour'),
    { name: 'broad', type: 'VARCHAR', values: broad },
    { name: 'narrow', type: 'VARCHAR', values: narrow },
  ],
  address_events: (rows) => [{ name: 'type', type: 'INTEGER', values: rows.type }, ...addressColumns(rows)],
}

/** Sums of `flowColumns`, whose names end in `age`. */
const flowSums = <Age extends '' | '_under_1h' | '_under_24h'>(
  rows: Readonly<Record<`${(typeof flowColumns)[number]}${Age}`, Float64Array>>,
  age: Age,
): WrittenColumn[] => [
  bigint(`spent_sats${age}`, rows[`spent_sats_low${age}`], rows[`spent_sats_high${age}`]),
  ...flowColumns.slice(2).map((column) => bigint(`${column}${age}`, rows[`${column}${age}`])),
]

export const writeLabelEvents = (file: string, rows: AddressEventColumns): void =>
  writeColumns(file, addressColumns(rows))

const addressColumns = (rows: AddressEventColumns): WrittenColumn[] => [
  { name: 'date', type: 'DATE', values: rows.day },
  { name: 'created_date', type: 'DATE', values: rows.created_day },
  { name: 'high', type: 'UINTEGER', values: rows.high },
  { name: 'low', type: 'UINTEGER', values: rows.low },
  { name: 'received_sats', type: 'BIGINT', values: rows.received_sats },
  { name: 'spent_sats', type: 'BIGINT', values: rows.spent_sats },
]

const date = (name: string, days: Float64Array): WrittenColumn => ({ name, type: 'DATE', values: new Int32Array(days) })

const integers = <Name extends string>(
  rows: Readonly<Record<Name, Float64Array>>,
  ...names: readonly Name[]
): WrittenColumn[] => names.map((name) => ({ name, type: 'INTEGER', values: new Int32Array(rows[name]) }))

const bigints = <Name extends string>(
  rows: Readonly<Record<Name, Float64Array>>,
  ...names: readonly Name[]
): WrittenColumn[] => names.map((name) => bigint(name, rows[name]))

const bigint = (name: string, low: Float64Array, high?: Float64Array): WrittenColumn => ({
  name,
  type: 'BIGINT',
  values: joinLimbs(name, low, high),
})
