import type { CoinProof } from '#contract/coin-proof.ts'
import type { Health } from '#contract/health.ts'
import type { OperationalState } from '#contract/operational-state.ts'
import type { Generation } from '#sql/generation.ts'
import { type ProvedBlocks, readProvedBlocks } from './proved-segments.ts'

/**
 * Body of /health and `coinstrata status --json`; `served` is undefined if nothing can be served.
 */
export function describeHealth(
  state: OperationalState,
  served: Generation | undefined,
  proved: ProvedBlocks | null,
  provedCoins: CoinProof | null,
): Health {
  return {
    ...state,
    generation: served?.id ?? null,
    tip_height: served?.tip.height ?? null,
    tip_time: served?.tip.time ?? null,
    age_seconds: served ? Math.round((Date.now() - Date.parse(served.tip.time)) / 1000) : null,
    proved,
    proved_coins: provedCoins,
    published: served ? describePublication(served) : null,
  }
}

/** Proved blocks of a generation's chain, or those at publication if the registry is unreadable. */
export function countProvedBlocks(dataDir: string, { tip, proved }: Generation): ProvedBlocks | null {
  try {
    // Proving continues after publication.
    return readProvedBlocks(dataDir, tip.height + 1) ?? proved
  } catch {
    return proved
  }
}

export function describePublication({
  created_at,
  network,
  simulated,
  first_date,
  last_date,
  tip,
  audit,
  prices,
}: Generation): NonNullable<Health['published']> {
  const { supply_sats, utxo_count } = tip
  // Totals that differ from the node's are not published.
  const equal_to_node = audit.node !== null
  const pricing = prices?.pricing ?? null
  return { at: created_at, network, simulated, first_date, last_date, supply_sats, utxo_count, equal_to_node, pricing }
}
