import { scriptTypes, toKind } from '#contract/kinds.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { sizeOf } from '#ingest/chain/output-kind.ts'
import { boundRelation, type Relation } from '#sql/relation.ts'
import { rowsRelation } from '#sql/rows.ts'

/** Coinbases in `blocks` that a later one overwrote (BIP 30), with both days. */
export function findOverwritten(
  { overwrittenCoinbases }: Network,
  blocks: Relation<'blocks'>,
): Relation<'overwritten'> {
  const lost = overwrittenCoinbases.map(({ scriptType, ...coinbase }) => ({
    ...coinbase,
    kind: toKind(scriptTypes.indexOf(scriptType), sizeOf(coinbase.sats / coinbase.outputs), 1),
  }))
  const types = {
    height: 'INTEGER',
    hash: 'VARCHAR',
    overwrittenByHeight: 'INTEGER',
    overwrittenByHash: 'VARCHAR',
    sats: 'BIGINT',
    outputs: 'BIGINT',
    kind: 'INTEGER',
  }
  const heights = lost.flatMap(({ height, overwrittenByHeight }) => [height, overwrittenByHeight])
  // By constants DuckDB finds the row groups to read.
  const few = `(SELECT * FROM ${blocks.from} WHERE height IN (${heights.join(', ') || 'NULL'}))`
  return boundRelation(
    'overwritten',
    `SELECT later.date, earlier.date AS created_date, lost.sats, lost.outputs, kind
     FROM lost
     JOIN blocks AS earlier ON earlier.height = lost.height AND earlier.hash = lost.hash
     JOIN blocks AS later ON later.height = "overwrittenByHeight" AND later.hash = "overwrittenByHash"`,
    { from: [{ name: 'blocks', from: few }, rowsRelation('lost', types, lost)] },
  )
}

/**
 * Returns false at heights where the node's sums may differ from ours: coinstatsindex never counts
 * a coinbase that is overwritten later, but the UTXO set does until then.
 */
export const nodeSumsAgree = (network: Network, height: number): boolean =>
  !network.overwrittenCoinbases.some((lost) => lost.height <= height && height < lost.overwrittenByHeight)
