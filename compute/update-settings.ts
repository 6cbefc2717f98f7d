import { existsSync } from 'node:fs'
import type { PriceAnchor, PriceSource, Pricing } from '#contract/pricing.ts'
import { type ChainSource, locateSource, type SourceSettings } from '#ingest/chain/locate-source.ts'
import { type NetworkName, networks } from '#ingest/chain/networks.ts'
import type { AddressMode } from './address-sample.ts'
import { historyFile } from './data-folder.ts'

export interface UpdateSettings extends Omit<SourceSettings, 'source'> {
  readonly dataDir: string
  readonly network: NetworkName
  readonly source: SourceSettings['source'] | 'simulated'
  readonly simulatedSeed: number
  /** The node's data directory to try if none is configured. */
  readonly defaultDatadir: string
  readonly pricing: Pricing
  /** Default: markets. */
  readonly priceSource?: PriceSource
  /** Known price from which that of the chain is followed; default: `defaultAnchor`. */
  readonly priceAnchor?: PriceAnchor | undefined
  /** Also publish `fine_flows`, in the full detail of the segments. */
  readonly fine?: boolean
  /** Ed25519 key (PEM) that signs the hashes of days. */
  readonly signingKeyFile?: string | undefined
  /** Default: off. */
  readonly addresses?: AddressMode
  /** Also publish `label_days`. */
  readonly publishLabels?: boolean
  /** DuckDB's memory limit, such as `1GB`. */
  readonly memory: string
  /**
   * Parent folder of the pipe or file in which the node lists its coins; default: the data folder.
   */
  readonly dumpFolder?: string | undefined
}

/**
 * Finds the node; `undefined` for the simulated chain. After another operator's history its files
 * are not read: those segments are not one per file.
 */
export function locateNode({ source, ...settings }: UpdateSettings): ChainSource | undefined {
  if (source === 'simulated') return undefined
  const kind = existsSync(historyFile(settings.dataDir)) ? 'rpc' : source
  return locateSource({ ...settings, source: kind }, networks[settings.network], settings.defaultDatadir)
}
