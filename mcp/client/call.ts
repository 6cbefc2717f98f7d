import type { Log } from '#base/log.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { CatalogueReader } from './catalogue.ts'
import type { History } from './history.ts'
import type { RestClient } from './rest.ts'

/** What tools, resources and prompts of one caller work with. */
export interface Connection {
  readonly rest: RestClient
  readonly catalogue: CatalogueReader
  readonly histories: AnswerCache<History>
  /** Address of the API for links, without a slash at the end. */
  readonly publicUrl: string
  readonly log: Log
}

/** What a tool has at hand while it is called. */
export interface Call extends Connection {
  readonly signal: AbortSignal
  /** Tells the assistant that work goes on; without effect where it did not ask to be told. */
  readonly progress: (seconds: number, message: string) => Promise<void>
}
