import path from 'node:path'
import { type DuckDBConnection, DuckDBDateValue } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import type { CoinstrataError } from '#base/errors.ts'
import { freeMemory } from '#base/free-memory.ts'
import { kindsOf, lostTypes } from '#contract/kinds.ts'
import { tables } from '#contract/tables/tables.ts'
import { type ReadColumn, readColumns } from '#sql/columns.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { bindInputs, type QueryInputs, type Relation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import type { CoinPass, KindColumns } from '../cohorts/coin-pass.ts'
import { mergeSegments } from '../cohorts/merge-segments.ts'
import { readValue } from '../read-value.ts'
import { addendLimb } from '../scan/limbs.ts'
import type { ScanRows } from './chain-tables.ts'
import { allDays, dayValues, type NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/** Few enough to group and sort in memory. */
const daysPerStep = 250

/**
 * Writes `fine_flows` by its statement, some days at a time. Continues from a checkpoint that has
 * the table. Throws `audit_failed` if sums differ from `flows`.
 */
export async function writeFineFlows(
  draft: Draft,
  newDays: NewDays,
  scan: ScanRows,
  flows: Relation<'flows'>,
): Promise<Relation<'fine_flows'>> {
  const table = tables.fine_flows
  const days = newDays.savedRows.has(table.name) ? newDays : allDays(newDays)
  return draft.growInSteps(table, days, daysPerStep, days.closed.last, async (part, day, last) => {
    const values = { after_day: new DuckDBDateValue(day), last_day: new DuckDBDateValue(last) }
    const inputs = { from: [scan('young_spends'), flows], values }
    await writeParquet(draft.connection, part, bindInputs(readStatement('fine-flows'), inputs))
    await compareSums(draft.connection, part, inputs)
  })
}

const fineSums = ['spent_sats', 'spent_outputs', 'spent_sat_seconds', 'spent_output_seconds'] as const

async function compareSums(connection: DuckDBConnection, file: string, inputs: QueryInputs): Promise<void> {
  const differ = fineSums
    .map((sum) => `fine.${sum} IS DISTINCT FROM flows.${sum} OR fine.least_${sum} < 0`)
    .join(' OR ')
  const different = await readValue(
    connection,
    bindInputs(
      `SELECT min(date)::VARCHAR FROM (
         SELECT date, created_date, ${fineSums.map((sum) => `sum(${sum}) AS ${sum}, min(${sum}) AS least_${sum}`).join(', ')}
         FROM ${parquetFiles([file])} GROUP BY date, created_date
       ) AS fine
       FULL JOIN (FROM flows WHERE date > getvariable('after_day') AND date <= getvariable('last_day')) AS flows
         USING (date, created_date)
       WHERE ${differ}`,
      inputs,
    ),
  )
  if (typeof different === 'string')
    throw auditFailed(`on ${different} the spends by hour do not add up to those of days`)
}

/** Reads the coins of each kind that enter and leave the supply unspent on new days. */
export function readKindChanges(
  connection: DuckDBConnection,
  newDays: NewDays,
  scan: ScanRows,
  overwritten: Relation<'overwritten'>,
): Promise<KindColumns> {
  const changes = `
    SELECT date, created_date, kind, addend_high(sats) AS sats_high, addend_low(sats) AS sats_low,
      outputs::DOUBLE AS outputs
    FROM (
      SELECT date, date AS created_date, kind, sum(created_sats)::BIGINT AS sats, sum(created_outputs) AS outputs
      FROM ${scan('created_kinds').from} WHERE kind NOT IN (${kindsOf(...lostTypes).join(', ')}) GROUP BY ALL
      UNION ALL
      SELECT date, created_date, kind, -sats, -outputs FROM ${overwritten.from}
    )
    WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
    ORDER BY date, created_date, kind`
  return readColumns(connection, bindInputs(changes, { from: [], values: dayValues(newDays) }))
}

/** Feeds `pass` the rows. Throws `audit_failed` if sums differ from `flows`. */
export async function writeKindFlows(
  draft: Draft,
  newDays: NewDays,
  scan: ScanRows,
  flows: Relation<'flows'>,
  pass: CoinPass,
): Promise<Relation<'kind_flows'>> {
  const { connection, folder } = draft
  const { closed, after, cut } = newDays
  const table = tables.kind_flows
  draft.part(table.name)
  const columns = `date, created_date, kind, addend_high(spent_sats) AS sats_high, addend_low(spent_sats) AS sats_low,
    spent_outputs::DOUBLE AS outputs`
  const days = { first: after + 1, last: closed.last, cut }
  const file = path.join(folder, `${table.name}.part`)
  const readFlows = (where: string) =>
    readColumns(
      connection,
      `SELECT date, created_date, addend_high(spent_sats) AS sats_high, addend_low(spent_sats) AS sats_low,
         spent_outputs::DOUBLE AS outputs, addend_high(spent_sat_seconds::HUGEINT) AS seconds_high,
         addend_low(spent_sat_seconds::HUGEINT) AS seconds_low FROM ${flows.from} WHERE ${where}`,
    )
  const addFlows = (merged: KindColumns, ofDays: KindColumns): void => {
    requireEqualSums(ofDays, merged)
    pass.addFlows(merged, ofDays)
    for (const array of Object.values(ofDays)) freeMemory(array)
  }
  const files = await mergeSegments(connection, columns, scan('kind_flows').from, days, file, addFlows, readFlows)
  return draft.growFromFiles(table, newDays, files)
}

/**
 * Compares both sums of each day and creation day. Both are sorted by these. Throws `audit_failed`
 * if they differ.
 */
export function requireEqualSums(flows: Readonly<Record<string, ReadColumn>>, kinds: KindColumns): void {
  const { date, created_date, sats_high, sats_low, outputs } = kinds
  let row = 0
  for (let flow = 0; flow < flows.date!.length; flow++) {
    let [high, low, count] = [flows.sats_high![flow]!, flows.sats_low![flow]!, flows.outputs![flow]!]
    const first = row
    let isNegative = false
    for (; date![row] === flows.date![flow] && created_date![row] === flows.created_date![flow]; row++) {
      isNegative ||= sats_high![row]! < 0 || outputs![row]! < 0
      high -= sats_high![row]!
      low -= sats_low![row]!
      count -= outputs![row]!
    }
    if (row === first || isNegative || high * addendLimb + low !== 0 || count !== 0) throw differs(flows.date![flow]!)
  }
  if (row < date!.length) throw differs(date![row]!)
}

const differs = (day: number): CoinstrataError =>
  auditFailed(`on ${isoDate(day)} the spends by kind do not add up to those of days`)
