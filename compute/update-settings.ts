import type { Pricing } from '#contract/pricing.ts'
import { type ChainSource, locateSource, type SourceSettings } from '#ingest/chain/locate-source.ts'
import { type NetworkName, networks } from '#ingest/chain/networks.ts'
import type { AddressMode } from './address-sample.ts'

export interface UpdateSettings extends Omit<SourceSettings, 'source'> {
  readonly dataDir: string
  readonly network: NetworkName
  readonly source: SourceSettings['source'] | 'simulated'
  readonly simulatedSeed: number
  /** The node's data directory to try if none is configured. */
  readonly defaultDatadir: string
  readonly pricing: Pricing
  /** Also publish `fine_flows`, in the full detail of the segments. */
  readonly fine?: boolean
  /** Default: off. */
  readonly addresses?: AddressMode
  /** DuckDB's memory limit, such as `1GB`. */
  readonly memory: string
}

/** Finds the node; `undefined` if the settings choose the simulated chain. */
export const locateNode = ({ source, ...settings }: UpdateSettings): ChainSource | undefined =>
  source === 'simulated'
    ? undefined
    : locateSource({ ...settings, source }, networks[settings.network], settings.defaultDatadir)
