import type { Log } from '#base/log.ts'
import type { CatalogueReader } from './catalogue.ts'
import type { History } from './history.ts'
import type { Access, AnswerCache, RestClient } from './rest.ts'

/** One caller's access to the API, with the caches of all callers. */
export interface Connection {
  readonly rest: RestClient
  readonly catalogue: CatalogueReader
  readonly histories: AnswerCache<History>
  /** Base of links, without a trailing slash. */
  readonly publicUrl: string
  readonly log: Log
}

export interface Call extends Connection, Access {
  /** Does nothing if the assistant did not ask for progress. */
  readonly progress: (seconds: number, message: string) => Promise<void>
}
