import type { DuckDBConnection } from '@duckdb/node-api'
import { type Network, subsidySats } from '#ingest/chain/networks.ts'
import type { Audit } from '#sql/generation.ts'
import { quotedString } from '#sql/quote.ts'
import { ageBands } from '../cohorts/cohorts.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import { auditFailed } from './audit-failed.ts'
import { compareMilestones } from './milestones.ts'
import { nodeSumsAgree } from './overwritten.ts'

/** Sums over all blocks up to the tip, the open day included. */
export interface TipState {
  readonly height: number
  readonly supplySats: number
  readonly utxoCount: number
}

/**
 * Holds a generation that is being built against what must be true: its tables against each other, and the tip against
 * the node. Throws `audit_failed` at the first difference.
 */
export async function auditGeneration(
  connection: DuckDBConnection,
  network: Network,
  { tip: { height }, node }: ScannedChain,
): Promise<{ audit: Audit; tip: TipState }> {
  const tip = { height, ...(await sumFlows(connection)) }
  const audit = await auditTables(connection, network, tip)
  const compared = node && nodeSumsAgree(network, height)
  if (compared) compareWithNode(tip, node)
  return { audit: { ...audit, node: compared ? { supply_sats: node.sats, utxo_count: node.outputs } : null }, tip }
}

/**
 * Compares, on the tables `blocks`, `flows`, `days`, `cohorts` and `overwritten`, flows, age bands and blocks on every
 * closed day, and the blocks with the subsidy schedule, with `tip` and with the milestones of the network. Throws `audit_failed` at the first difference.
 */
export async function auditTables(
  connection: DuckDBConnection,
  network: Network,
  tip: TipState,
): Promise<Omit<Audit, 'node'>> {
  const days = await compareDays(connection)
  const { blocks, issued, unspendable, overwritten, outputs } = await sumBlocks(connection, tip.height)
  const unclaimed = scheduledSats(network, tip.height) - issued
  if (unclaimed < 0) throw auditFailed(`${-unclaimed} satoshis more than the subsidy schedule allows were issued`)
  const supply = issued - unspendable - overwritten
  if (tip.supplySats !== supply || tip.utxoCount !== outputs) {
    throw auditFailed(
      `at block ${tip.height} flows add up to ${tip.supplySats} satoshis in ${tip.utxoCount} unspent outputs, ` +
        `blocks to ${supply} in ${outputs}`,
    )
  }
  const milestones = await compareMilestones(connection, network)
  return { days, blocks, unclaimed_sats: unclaimed, unspendable_sats: unspendable + overwritten, milestones }
}

/** Throws `audit_failed` where the node counts other unspent outputs after the tip than we do. */
export function compareWithNode(tip: TipState, node: { readonly sats: number; readonly outputs: number }): void {
  if (node.sats === tip.supplySats && node.outputs === tip.utxoCount) return
  throw auditFailed(
    `at block ${tip.height} the node counts ${node.sats} satoshis in ${node.outputs} unspent outputs, ` +
      `we count ${tip.supplySats} in ${tip.utxoCount}`,
  )
}

async function compareDays(connection: DuckDBConnection): Promise<number> {
  const [row] = await rowsOf(
    connection,
    `SELECT count(*)::DOUBLE AS days, min(date) FILTER (NOT same)::VARCHAR AS different
     FROM (
       SELECT date,
         coalesce(all_coins.supply_sats = days.supply_sats AND all_coins.utxo_count = days.utxo_count
           AND bands.supply_sats = days.supply_sats AND bands.utxo_count = days.utxo_count
           AND sum(created_sats - coalesce(flow_sats, 0) - coalesce(lost_sats, 0)) OVER to_date = days.supply_sats
           AND sum(created_outputs - coalesce(flow_outputs, 0) - coalesce(lost_outputs, 0)) OVER to_date
             = days.utxo_count, false) AS same
       FROM days
       LEFT JOIN (FROM cohorts WHERE cohort = 'all') AS all_coins USING (date)
       LEFT JOIN (
         SELECT date, sum(supply_sats) AS supply_sats, sum(utxo_count) AS utxo_count
         FROM cohorts WHERE cohort IN (${ageBands.map(({ id }) => quotedString(id)).join(', ')}) GROUP BY date
       ) AS bands USING (date)
       LEFT JOIN (
         SELECT date, sum(spent_sats) AS flow_sats, sum(spent_outputs) AS flow_outputs FROM flows GROUP BY date
       ) USING (date)
       LEFT JOIN (
         SELECT date, sum(sats) AS lost_sats, sum(outputs) AS lost_outputs FROM overwritten GROUP BY date
       ) USING (date)
       WINDOW to_date AS (ORDER BY date ROWS UNBOUNDED PRECEDING)
     )`,
  )
  if (row?.different)
    throw auditFailed(`supply or UTXO count on ${row.different} differ between flows, bands and blocks`)
  return Number(row?.days)
}

async function sumBlocks(connection: DuckDBConnection, tipHeight: number) {
  const [row] = await rowsOf(
    connection,
    `SELECT count(*)::DOUBLE AS blocks, max(height)::DOUBLE AS highest, count(DISTINCT height)::DOUBLE AS heights,
       sum(issuance_sats)::DOUBLE AS issued, sum(unspendable_sats)::DOUBLE AS unspendable,
       (SELECT coalesce(sum(sats), 0) FROM overwritten)::DOUBLE AS overwritten,
       (sum(outputs) - sum(unspendable_outputs) - sum(inputs)
         - (SELECT coalesce(sum(outputs), 0) FROM overwritten))::DOUBLE AS outputs
     FROM blocks`,
  )
  const blocks = Number(row?.blocks)
  if (blocks !== tipHeight + 1 || row?.heights !== blocks || row?.highest !== tipHeight) {
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

async function sumFlows(connection: DuckDBConnection): Promise<Omit<TipState, 'height'>> {
  const [row] = await rowsOf(
    connection,
    `SELECT
       (sum(coinbase_sats - fees_sats + spent_sats - unspendable_sats)
         - (SELECT coalesce(sum(spent_sats), 0) FROM segment_flows)
         - (SELECT coalesce(sum(sats), 0) FROM overwritten))::DOUBLE AS sats,
       (sum(outputs - unspendable_outputs) - (SELECT coalesce(sum(spent_outputs), 0) FROM segment_flows)
         - (SELECT coalesce(sum(outputs), 0) FROM overwritten))::DOUBLE AS outputs
     FROM blocks`,
  )
  return { supplySats: Number(row?.sats), utxoCount: Number(row?.outputs) }
}

function scheduledSats(network: Network, tipHeight: number): number {
  let total = 0
  for (let height = 0; height <= tipHeight; height += network.halvingInterval) {
    const blocks = Math.min(network.halvingInterval, tipHeight + 1 - height)
    total += blocks * subsidySats(network, height)
  }
  return total
}

const rowsOf = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowObjectsJS()
