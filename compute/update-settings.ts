import type { Pricing } from '#contract/pricing.ts'
import type { SourceSettings } from '#ingest/chain/locate-source.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'

/** What a pass works on: a data folder, and the node or simulated chain that fills it. */
export interface UpdateSettings extends Omit<SourceSettings, 'source'> {
  readonly dataDir: string
  readonly network: NetworkName
  readonly source: SourceSettings['source'] | 'simulated'
  readonly simulatedSeed: number
  /** The node's data directory to look for where none is named. */
  readonly defaultDatadir: string
  /** How coins and spends are valued. */
  readonly pricing: Pricing
  /** Publish also flows as fine as the scan tells them. */
  readonly fine?: boolean
  /** DuckDB's memory limit, such as `1GB`. */
  readonly memory: string
}
