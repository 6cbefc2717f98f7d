import type { HttpClient, HttpSettings } from './http.ts'
import type { Observation } from './observations.ts'
import type { Series } from './series.ts'

export interface MarketSource {
  /** Folder in the raw store and part of setting names. */
  readonly id: string
  readonly name: string
  readonly baseUrl: string
  readonly requestsPerMinute: number
  /** Header for a required key, and how to get it. */
  readonly key?: { readonly header: string; readonly obtain: string }
  readonly refusal?: HttpSettings['refusal']
  readonly limitsBy403?: true
  readonly series: readonly Series[]
  /** docs/market-data.md has all terms with links. */
  readonly terms?: {
    /** Required in every API response with its data. */
    readonly attribution?: string
    /** With `ACCESS=tiered` such a source is fetched only if named. */
    readonly republishing?: 'forbidden'
  }
  /** For the operator, after all series were fetched. */
  readonly notices?: (http: HttpClient) => Promise<string[]>
  /** Rate limits may end a run early: series fetched longest ago come first. */
  readonly rotates?: true
  /** For venues without history. */
  readonly snapshots?: readonly ((http: HttpClient, now: number) => Promise<Observation<'open_interest'>>)[]
}
