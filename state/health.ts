import type { Health } from '#contract/health.ts'
import type { OperationalState } from '#contract/operational-state.ts'
import type { Generation } from '#sql/generation.ts'
import { type ProvedBlocks, readProvedBlocks } from './proved-segments.ts'

/** What /health and `coinstrata status --json` tell of a data folder; `served` is undefined where nothing can be served. */
export function describeHealth(
  state: OperationalState,
  served: Generation | undefined,
  proved: ProvedBlocks | null,
): Health {
  return {
    ...state,
    generation: served?.id ?? null,
    tip_height: served?.tip.height ?? null,
    tip_time: served?.tip.time ?? null,
    age_seconds: served ? Math.round((Date.now() - Date.parse(served.tip.time)) / 1000) : null,
    proved,
    published: served ? describePublication(served) : null,
  }
}

/** How many blocks of a generation's chain are proved by now, or were at publication where the registry cannot be read. */
export function countProvedBlocks(dataDir: string, { tip, proved }: Generation): ProvedBlocks | null {
  try {
    // Proving goes on after publication.
    return readProvedBlocks(dataDir, tip.height + 1) ?? proved
  } catch {
    return proved
  }
}

/** What is told of a generation to everybody. */
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
  // What differs from the node is never published.
  const equal_to_node = audit.node !== null
  const pricing = prices?.pricing ?? null
  return { at: created_at, network, simulated, first_date, last_date, supply_sats, utxo_count, equal_to_node, pricing }
}
