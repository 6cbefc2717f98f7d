import type { DuckDBConnection } from '@duckdb/node-api'
import type { Network } from '#ingest/chain/networks.ts'
import type { Audit, ReachedMilestone } from '#sql/generation.ts'
import { quotedString } from '#sql/quote.ts'
import { bindInputs, type Relation } from '#sql/relation.ts'
import { ageBands } from '../cohorts/cohorts.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import { scheduledSats } from '../scheduled-sats.ts'
import { auditFailed } from './audit-failed.ts'
import { compareMilestones, readMilestones } from './milestones.ts'
import { nodeSumsAgree } from './overwritten.ts'

/** Sums over all blocks up to the tip, including the open day. */
export interface TipState {
  readonly height: number
  readonly supplySats: number
  readonly utxoCount: number
}

/** State up to a day that an earlier audit passed; the tables have the same rows up to it. */
export interface AuditedDays extends TipState {
  /** Unix day; `height` is its last block. */
  readonly day: number
  readonly milestones: readonly ReachedMilestone[]
}

const noDays: AuditedDays = { day: -1, height: -1, supplySats: 0, utxoCount: 0, milestones: [] }

/**
 * Audits a generation before publication. Skips audited days. Throws `audit_failed` at the first
 * difference.
 * @param from those of `auditTables`, and `segment_flows`
 */
export async function auditGeneration(
  connection: DuckDBConnection,
  from: readonly Relation[],
  network: Network,
  { tip: { height }, node }: ScannedChain,
  audited: AuditedDays | undefined,
): Promise<{ audit: Audit; tip: TipState }> {
  const tip = { height, ...(await sumFlows(rowReader(connection, from), audited)) }
  const audit = await auditTables(connection, from, network, tip, audited)
  const sums = comparableSums(network, height, node)
  if (sums) compareWithNode(tip, sums)
  return { audit: { ...audit, node: sums && { supply_sats: sums.sats, utxo_count: sums.outputs } }, tip }
}

/**
 * Compares flows, age bands and blocks on every closed day, and the blocks with the subsidy
 * schedule, `tip` and the network's milestones. Throws `audit_failed` at the first difference.
 * @param from `blocks`, `flows`, `days`, `cohorts` and `overwritten`
 */
export async function auditTables(
  connection: DuckDBConnection,
  from: readonly Relation[],
  network: Network,
  tip: TipState,
  audited = noDays,
): Promise<Omit<Audit, 'node'>> {
  const read = rowReader(connection, from)
  const days = await compareDays(read, audited)
  const { blocks, issued, unspendable, overwritten, outputs } = await sumBlocks(read, tip.height, audited)
  const unclaimed = scheduledSats(network, tip.height) - issued
  if (unclaimed < 0) throw auditFailed(`${-unclaimed} satoshis were issued beyond the subsidy schedule`)
  const supply = issued - unspendable - overwritten
  if (tip.supplySats !== supply || tip.utxoCount !== outputs) {
    throw auditFailed(
      `at block ${tip.height} flows add up to ${tip.supplySats} satoshis in ${tip.utxoCount} unspent outputs, ` +
        `blocks to ${supply} in ${outputs}`,
    )
  }
  const later = readMilestones(network).filter((milestone) => milestone.height > audited.height)
  const milestones = [...audited.milestones, ...(await compareMilestones(connection, network, later, from))]
  return { days, blocks, unclaimed_sats: unclaimed, unspendable_sats: unspendable + overwritten, milestones }
}

type NodeSums = ScannedChain['node']

/** The node's sums after a block; `null` if not comparable with ours. */
export const comparableSums = (network: Network, height: number, node: NodeSums): NodeSums =>
  node && nodeSumsAgree(network, height) ? node : null

/** Throws `audit_failed` if the node's unspent outputs after the tip differ from ours. */
export function compareWithNode(tip: TipState, node: { readonly sats: number; readonly outputs: number }): void {
  if (node.sats === tip.supplySats && node.outputs === tip.utxoCount) return
  throw auditFailed(
    `at block ${tip.height} the node counts ${node.sats} satoshis in ${node.outputs} unspent outputs, ` +
      `we count ${tip.supplySats} in ${tip.utxoCount}`,
  )
}

const laterDays = ({ day }: AuditedDays): string => `date > DATE '1970-01-01' + ${day}`
const laterBlocks = ({ height }: AuditedDays): string => `height > ${height}`

async function compareDays(read: ReadRow, audited: AuditedDays): Promise<number> {
  const row = await read(
    `SELECT (SELECT count(*) FROM days)::DOUBLE AS days, min(date) FILTER (NOT same)::VARCHAR AS different
     FROM (
       SELECT date,
         coalesce(all_coins.supply_sats = days.supply_sats AND all_coins.utxo_count = days.utxo_count
           AND bands.supply_sats = days.supply_sats AND bands.utxo_count = days.utxo_count
           AND ${audited.supplySats}
             + sum(created_sats - coalesce(flow_sats, 0) - coalesce(lost_sats, 0)) OVER to_date = days.supply_sats
           AND ${audited.utxoCount}
             + sum(days.created_outputs - coalesce(flow_outputs, 0) - coalesce(lost_outputs, 0)) OVER to_date
             = days.utxo_count, false) AS same
       FROM (FROM days WHERE ${laterDays(audited)}) AS days
       LEFT JOIN (FROM cohorts WHERE cohort = 'all' AND ${laterDays(audited)}) AS all_coins USING (date)
       LEFT JOIN (
         SELECT date, sum(supply_sats) AS supply_sats, sum(utxo_count) AS utxo_count
         FROM cohorts
         WHERE cohort IN (${ageBands.map(({ id }) => quotedString(id)).join(', ')}) AND ${laterDays(audited)}
         GROUP BY date
       ) AS bands USING (date)
       LEFT JOIN (
         SELECT date, sum(spent_sats) AS flow_sats, sum(spent_outputs) AS flow_outputs
         FROM flows WHERE ${laterDays(audited)} GROUP BY date
       ) USING (date)
       LEFT JOIN (
         SELECT date, sum(sats) AS lost_sats, sum(outputs) AS lost_outputs
         FROM overwritten WHERE ${laterDays(audited)} GROUP BY date
       ) USING (date)
       WINDOW to_date AS (ORDER BY date ROWS UNBOUNDED PRECEDING)
     )`,
  )
  if (row?.different)
    throw auditFailed(`supply or UTXO count on ${row.different} differ between flows, bands and blocks`)
  return Number(row?.days)
}

/** Sums over all blocks; audited days come from the table `days`. */
async function sumBlocks(read: ReadRow, tipHeight: number, audited: AuditedDays) {
  const ofDays = (column: string): string =>
    `(SELECT coalesce(sum(${column}), 0) FROM days WHERE NOT ${laterDays(audited)})`
  const row = await read(
    `SELECT count(*)::DOUBLE AS blocks, max(height)::DOUBLE AS highest, count(DISTINCT height)::DOUBLE AS heights,
       (sum(issuance_sats) + ${ofDays('issuance_sats')})::DOUBLE AS issued,
       (sum(unspendable_sats) + ${ofDays('unspendable_sats')})::DOUBLE AS unspendable,
       (SELECT coalesce(sum(sats), 0) FROM overwritten)::DOUBLE AS overwritten,
       (sum(outputs) - sum(unspendable_outputs) - sum(inputs) + ${ofDays('outputs - unspendable_outputs - inputs')}
         - (SELECT coalesce(sum(outputs), 0) FROM overwritten))::DOUBLE AS outputs,
       (${ofDays('blocks_mined')})::DOUBLE AS audited
     FROM blocks WHERE ${laterBlocks(audited)}`,
  )
  const blocks = Number(row?.blocks) + Number(row?.audited)
  if (blocks !== tipHeight + 1 || row?.heights !== row?.blocks || row?.highest !== tipHeight) {
    throw auditFailed(`table blocks holds ${blocks} blocks up to height ${row?.highest}, the chain ${tipHeight + 1}`)
  }
  return {
    blocks,
    issued: Number(row?.issued),
    unspendable: Number(row?.unspendable),
    overwritten: Number(row?.overwritten),
    outputs: Number(row?.outputs),
  }
}

async function sumFlows(read: ReadRow, audited = noDays): Promise<Omit<TipState, 'height'>> {
  const lost = (column: string): string =>
    `(SELECT coalesce(sum(${column}), 0) FROM overwritten WHERE ${laterDays(audited)})`
  const spent = (column: string): string =>
    `(SELECT coalesce(sum(${column}), 0) FROM segment_flows WHERE ${laterDays(audited)})`
  const row = await read(
    `SELECT
       (${audited.supplySats} + sum(coinbase_sats - fees_sats + spent_sats - unspendable_sats)
         - ${spent('spent_sats')} - ${lost('sats')})::DOUBLE AS sats,
       (${audited.utxoCount} + sum(outputs - unspendable_outputs)
         - ${spent('spent_outputs')} - ${lost('outputs')})::DOUBLE AS outputs
     FROM blocks WHERE ${laterBlocks(audited)}`,
  )
  return { supplySats: Number(row?.sats), utxoCount: Number(row?.outputs) }
}

type ReadRow = (sql: string) => Promise<Record<string, unknown> | undefined>

const rowReader =
  (connection: DuckDBConnection, from: readonly Relation[]): ReadRow =>
  async (sql) =>
    (await connection.runAndReadAll(bindInputs(sql, { from }))).getRowObjectsJS()[0]
