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
  readonly series: readonly Series[]
  /** Open interest at this moment, for venues that keep no history of it. */
  readonly snapshots?: readonly ((http: HttpClient, now: number) => Promise<Observation<'open_interest'>>)[]
}
