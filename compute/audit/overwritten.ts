import type { DuckDBConnection } from '@duckdb/node-api'
import type { Network } from '#ingest/chain/networks.ts'

/** Creates table `overwritten`: coinbases in `blocks` that a later one overwrote (BIP 30), with the days of both. */
export async function createOverwritten(connection: DuckDBConnection, network: Network): Promise<void> {
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE overwritten (date DATE, created_date DATE, sats BIGINT, outputs BIGINT)',
  )
  for (const { height, hash, overwrittenByHeight, overwrittenByHash, sats, outputs } of network.overwrittenCoinbases) {
    await connection.run(
      `INSERT INTO overwritten
       SELECT later.date, earlier.date, $sats, $outputs FROM blocks AS earlier, blocks AS later
       WHERE earlier.height = $height AND earlier.hash = $hash
         AND later.height = $overwrittenByHeight AND later.hash = $overwrittenByHash`,
      { height, hash, overwrittenByHeight, overwrittenByHash, sats: BigInt(sats), outputs: BigInt(outputs) },
    )
  }
}

/**
 * Returns false at heights where the node's sums of unspent outputs may differ from ours. A coinbase that will be
 * overwritten is missing from coinstatsindex from its creation on, but from the UTXO set only once it is overwritten.
 */
export const nodeSumsAgree = (network: Network, height: number): boolean =>
  !network.overwrittenCoinbases.some((lost) => lost.height <= height && height < lost.overwrittenByHeight)
