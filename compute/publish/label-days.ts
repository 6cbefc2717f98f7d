import { chmodSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DuckDBDateValue } from '@duckdb/node-api'
import { tables } from '#contract/tables/tables.ts'
import { publishFile, unfinishedPath } from '#sql/files.ts'
import { filesRelation, queryRelation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { writeTable } from '#sql/write-table.ts'
import { auditFailed } from '../audit/audit-failed.ts'
import { labelsFolder } from '../data-folder.ts'
import { readKnownAddresses } from '../labels/known-addresses.ts'
import type { Labels } from '../labels/label-files.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import { chooseParts, labelStore, requireIntact, segmentRows } from '../scan/segment-parts.ts'
import type { CheckpointInputs } from './checkpoints.ts'
import type { Draft } from './draft.ts'

/** The operator's local copy of `label_days`; `PUBLISH_LABELS` publishes another. */
export const labelDaysFile = (dataDir: string): string => path.join(labelsFolder(dataDir), 'label_days.parquet')

interface LabelInputs extends Pick<CheckpointInputs, 'closed' | 'basis'> {
  readonly dataDir: string
  readonly scanned: ScannedChain
  readonly labels: Labels | undefined
  readonly publishLabels: boolean
}

/**
 * Writes `label_days` of all days to a new file for the operator, and into the generation if it is
 * published. Leaves out addresses that were not looked up in all blocks. Returns a function that
 * replaces the operator's file, or removes it if no labels are counted. Throws `data_not_ready` if
 * outputs of labelled addresses are damaged, `audit_failed`.
 */
export async function writeLabelDays(draft: Draft, inputs: LabelInputs, notes: string[]): Promise<() => void> {
  const { labels, scanned, dataDir } = inputs
  const file = labelDaysFile(dataDir)
  const known = readKnownAddresses(dataDir, labels)
  const counted = known.counted(scanned.labelled?.count)
  const left = known.places.length - counted.length
  if (left > 0) {
    notes.push(
      `${left} labelled addresses are not counted: some blocks were scanned before they were in the lists. "coinstrata update --yes" scans them again, unless the node has pruned them.`,
    )
  }
  if (!labels || counted.length === 0) return () => rmSync(file, { force: true })
  return writeCounted(draft, { ...inputs, labels }, counted, file)
}

async function writeCounted(
  draft: Draft,
  { dataDir, scanned, closed, basis, labels, publishLabels }: LabelInputs & { readonly labels: Labels },
  counted: Int32Array,
  file: string,
): Promise<() => void> {
  const { connection } = draft
  const { label_days: declared } = tables
  draft.part(declared.name)
  const store = labelStore(dataDir)
  const keys = scanned.labelled?.keys ?? []
  requireIntact(store, chooseParts(store, keys).parts)
  const { names, highs, lows, places } = labels
  const [labelFile, costFile] = [path.join(draft.folder, 'labels.part'), path.join(draft.folder, 'costs.part')]
  writeColumns(labelFile, [
    { name: 'high', type: 'UINTEGER', values: Uint32Array.from(counted, (i) => highs[i]!) },
    { name: 'low', type: 'UINTEGER', values: Uint32Array.from(counted, (i) => lows[i]!) },
    { name: 'label', type: 'VARCHAR', values: Array.from(counted, (i) => names[places[i]!]!) },
  ])
  writeColumns(costFile, [
    { name: 'created_date', type: 'DATE', values: Int32Array.from(basis.cost, (_, i) => closed.first + i) },
    { name: 'cost', type: 'DOUBLE', values: basis.cost },
  ])
  const values = {
    last_day: new DuckDBDateValue(closed.last),
    has_prices: basis.price.some((price) => !Number.isNaN(price)) ? 1 : 0,
  }
  const from = [
    { name: 'label_events', from: segmentRows(store, keys, 'label_events') },
    filesRelation('labels', [labelFile]),
    filesRelation('costs', [costFile]),
  ]
  const inputs = { from, values }
  const { from: days } = await queryRelation(connection, 'label_days', readStatement('label-days'), inputs)
  for (const file of [labelFile, costFile]) rmSync(file)
  const wrong = await connection.runAndReadAll(
    `SELECT label, date::VARCHAR FROM ${days} WHERE min_balance < 0 ORDER BY date LIMIT 1`,
  )
  for (const [label, date] of wrong.getRows()) {
    throw auditFailed(`on ${date} an address of ${label} has spent more than it received`)
  }
  const rows = `SELECT * EXCLUDE (min_balance) FROM ${days} ORDER BY date, label`
  const unfinished = unfinishedPath(file)
  rmSync(unfinished, { force: true })
  await writeTable(connection, unfinished, declared, rows)
  chmodSync(unfinished, 0o600)
  if (publishLabels) await draft.write(declared, rows)
  return () => publishFile(unfinished, file)
}
