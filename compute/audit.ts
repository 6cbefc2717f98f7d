import type { DuckDBConnection } from '@duckdb/node-api'
import { type Network, subsidySats } from '#ingest/chain/networks.ts'
import { CoinstrataError } from '#root/errors.ts'
import type { Audit } from '#sql/generation.ts'
import type { ScannedChain } from './scanned-chain.ts'

/** Sums over all blocks up to the tip, the open day included. */
export interface TipState {
  readonly supplySats: number
  readonly utxoCount: number
}

/**
 * Holds what was computed against what must be true, on the views and tables of a generation that is being built:
 * flows against blocks on every closed day, blocks against the subsidy schedule, and the tip against the node.
 * Throws `audit_failed` at the first difference.
 */
export async function auditGeneration(
  connection: DuckDBConnection,
  network: Network,
  scanned: ScannedChain,
): Promise<{ audit: Audit; tip: TipState }> {
  const days = await compareDays(connection)
  const { blocks, issued, unspendable, overwritten } = await sumBlocks(connection, scanned.tip.height)
  const unclaimed = scheduledSats(network, scanned.tip.height) - issued
  if (unclaimed < 0) throw failed(`${-unclaimed} satoshis more than the subsidy schedule allows were issued`)
  const tip = await tipState(connection)
  if (tip.supplySats !== issued - unspendable - overwritten) {
    throw failed(`supply at the tip is ${tip.supplySats} from flows, ${issued - unspendable - overwritten} from blocks`)
  }
  const { node } = scanned
  if (node && (node.sats !== tip.supplySats || node.outputs !== tip.utxoCount)) {
    throw failed(
      `at block ${scanned.tip.height} the node counts ${node.sats} satoshis in ${node.outputs} unspent outputs, ` +
        `we count ${tip.supplySats} in ${tip.utxoCount}`,
    )
  }
  const audit = {
    days,
    blocks,
    unclaimed_sats: unclaimed,
    unspendable_sats: unspendable + overwritten,
    node: node && { supply_sats: node.sats, utxo_count: node.outputs },
  }
  return { audit, tip }
}

async function compareDays(connection: DuckDBConnection): Promise<number> {
  const [row] = await rowsOf(
    connection,
    `SELECT count(*)::DOUBLE AS days,
       min(d.date) FILTER (
         c.supply_sats IS DISTINCT FROM d.supply_sats OR c.utxo_count IS DISTINCT FROM d.utxo_count
         OR b.supply_sats IS DISTINCT FROM d.supply_sats OR b.utxo_count IS DISTINCT FROM d.utxo_count
       )::VARCHAR AS different
     FROM days AS d
     LEFT JOIN (FROM cohorts WHERE cohort = 'all') AS c USING (date)
     LEFT JOIN (
       SELECT date, sum(supply_sats) AS supply_sats, sum(utxo_count) AS utxo_count
       FROM cohorts JOIN age_bands USING (cohort) GROUP BY date
     ) AS b USING (date)`,
  )
  if (row?.different) {
    throw failed(`supply or UTXO count on ${row.different} differ between flows, age bands and blocks`)
  }
  return Number(row?.days)
}

async function sumBlocks(connection: DuckDBConnection, tipHeight: number) {
  const [row] = await rowsOf(
    connection,
    `SELECT count(*)::DOUBLE AS blocks, max(height)::DOUBLE AS highest, count(DISTINCT height)::DOUBLE AS heights,
       sum(issuance_sats)::DOUBLE AS issued, sum(unspendable_sats)::DOUBLE AS unspendable,
       (SELECT coalesce(sum(sats), 0) FROM overwritten)::DOUBLE AS overwritten
     FROM blocks`,
  )
  const blocks = Number(row?.blocks)
  if (blocks !== tipHeight + 1 || row?.heights !== blocks || row?.highest !== tipHeight) {
    throw failed(`the segments hold ${blocks} blocks up to height ${row?.highest}, the chain has ${tipHeight + 1}`)
  }
  return {
    blocks,
    issued: Number(row?.issued),
    unspendable: Number(row?.unspendable),
    overwritten: Number(row?.overwritten),
  }
}

async function tipState(connection: DuckDBConnection): Promise<TipState> {
  const [row] = await rowsOf(
    connection,
    `SELECT
       (sum(created_sats) - sum(spent_sats) - (SELECT coalesce(sum(sats), 0) FROM overwritten))::DOUBLE AS sats,
       (sum(created_outputs) - sum(spent_outputs) - (SELECT coalesce(sum(outputs), 0) FROM overwritten))::DOUBLE
         AS outputs
     FROM segment_flows`,
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

const failed = (what: string): CoinstrataError =>
  new CoinstrataError('audit_failed', `the audit failed, nothing was published: ${what}`, {
    cure: 'remove the folder data/raw/segments and run again; if it fails again, please report it with this message',
  })
