import type { HttpClient, HttpSettings } from './http.ts'
import type { Observation } from './observations.ts'
import type { Series } from './series.ts'

export interface MarketSource {
  /** Name of its folder in the raw store and part of its setting names. */
  readonly id: string
  readonly name: string
  readonly baseUrl: string
  readonly requestsPerMinute: number
  /** Header for the required key, and how to get the key. */
  readonly key?: { readonly header: string; readonly obtain: string }
  readonly refusal?: HttpSettings['refusal']
  readonly limitsBy403?: true
  readonly series: readonly Series[]
  /** Terms of use; docs/market-data.md has all of them with links. */
  readonly terms?: {
    /** Required attribution, included in every API response with its data. */
    readonly attribution?: string
    /** With `ACCESS=tiered` a source that forbids republishing is fetched only if named. */
    readonly republishing?: 'forbidden'
  }
  /** Remarks for the operator after all series were fetched. */
  readonly notices?: (http: HttpClient) => Promise<string[]>
  /** Rate limits may end a run early: the series fetched longest ago come first. */
  readonly rotates?: true
  /** Current open interest, for venues without history. */
  readonly snapshots?: readonly ((http: HttpClient, now: number) => Promise<Observation<'open_interest'>>)[]
}
