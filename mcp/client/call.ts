import type { Log } from '#base/log.ts'
import type { CatalogueReader } from './catalogue.ts'
import type { History } from './history.ts'
import type { AnswerCache, RestClient } from './rest.ts'

/** One caller's access to the API, with the caches that all callers share. */
export interface Connection {
  readonly rest: RestClient
  readonly catalogue: CatalogueReader
  readonly histories: AnswerCache<History>
  /** Base of links, without a trailing slash. */
  readonly publicUrl: string
  readonly log: Log
}

export interface Call extends Connection {
  readonly signal: AbortSignal
  /** Notifies the assistant if it asked for progress; else does nothing. */
  readonly progress: (seconds: number, message: string) => Promise<void>
}
