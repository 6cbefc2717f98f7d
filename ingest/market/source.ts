import type { HttpClient, HttpSettings } from './http.ts'
import type { Observation } from './observations.ts'
import type { Series } from './series.ts'

/** One source of market data: where it is, what it has, and how to ask for it. */
export interface MarketSource {
  /** Folder in the raw store, and part of the names of its settings. */
  readonly id: string
  readonly name: string
  readonly baseUrl: string
  readonly requestsPerMinute: number
  /** The header that carries the key of a source that wants one, and where to get it. */
  readonly key?: { readonly header: string; readonly obtain: string }
  readonly refusal?: HttpSettings['refusal']
  /** It also answers 403 to who asks too often, not only to addresses that it does not serve. */
  readonly limitsBy403?: true
  readonly series: readonly Series[]
  /** What it asks of those who use its data; docs/market-data.md has all of it, with the pages that say so. */
  readonly terms?: {
    /** The words that must stand beside its data, which every answer of the API carries. */
    readonly attribution?: string
    /** Its data must not be shown to others: where there are others (ACCESS=tiered) it is fetched only if named. */
    readonly republishing?: 'forbidden'
  }
  /** What an operator should know of the answers, once all series were asked for. */
  readonly notices?: (http: HttpClient) => Promise<string[]>
  /** Its limits may end a run before all series were asked for: those come first that have waited longest. */
  readonly rotates?: true
  /** Open interest at this moment, for venues that keep no history of it. */
  readonly snapshots?: readonly ((http: HttpClient, now: number) => Promise<Observation<'open_interest'>>)[]
}
