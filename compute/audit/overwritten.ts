import type { DuckDBConnection } from '@duckdb/node-api'
import { scriptTypes, toKind } from '#contract/kinds.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { sizeOf } from '#ingest/chain/output-kind.ts'

/**
 * Creates table `overwritten`: coinbases in `blocks` that a later one overwrote (BIP 30), with both
 * days.
 */
export async function createOverwritten(connection: DuckDBConnection, network: Network): Promise<void> {
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE overwritten (date DATE, created_date DATE, sats BIGINT, outputs BIGINT, kind INTEGER)',
  )
  for (const { scriptType, ...lost } of network.overwrittenCoinbases) {
    const { sats, outputs, ...blocks } = lost
    const kind = toKind(scriptTypes.indexOf(scriptType), sizeOf(sats / outputs), 1)
    await connection.run(
      `INSERT INTO overwritten
       SELECT later.date, earlier.date, $sats, $outputs, $kind FROM blocks AS earlier, blocks AS later
       WHERE earlier.height = $height AND earlier.hash = $hash
         AND later.height = $overwrittenByHeight AND later.hash = $overwrittenByHash`,
      { ...blocks, sats: BigInt(sats), outputs: BigInt(outputs), kind },
    )
  }
}

/**
 * Returns false at heights where the node's sums may differ from ours: coinstatsindex never counts
 * a coinbase that is overwritten later, but the UTXO set does until then.
 */
export const nodeSumsAgree = (network: Network, height: number): boolean =>
  !network.overwrittenCoinbases.some((lost) => lost.height <= height && height < lost.overwrittenByHeight)
