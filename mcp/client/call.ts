import type { Log } from '#base/log.ts'
import type { CatalogueReader } from './catalogue.ts'
import type { History } from './history.ts'
import type { Access, AnswerCache, RestClient } from './rest.ts'

/** Access of one caller, with caches of all callers. */
export interface Connection {
  readonly rest: RestClient
  readonly catalogue: CatalogueReader
  readonly histories: AnswerCache<History>
  /** Base of links, without a trailing slash. */
  readonly publicUrl: string
  readonly log: Log
}

export interface Call extends Connection, Access {
  /** Does nothing unless the assistant asked for progress. */
  readonly progress: (seconds: number, message: string) => Promise<void>
}
