import type { ApiError } from './api-error.ts'
import type { Tier } from './tiers.ts'

export interface Caller {
  /** Name under which limits count it: its account, or its address without one. */
  readonly name: string
  readonly tier: Tier
  readonly accountId: number | undefined
  /** First characters of its API key, or the id of its connected app. */
  readonly keyId: string | undefined
  readonly by: 'nothing' | 'key' | 'session'
  /** Exempt from limits, as everybody is under open access. */
  readonly isUnlimited: boolean
  /** Why every request of this caller is refused. */
  readonly refusal: ApiError | undefined
}

/** A request whose endpoint is known. */
export interface Call {
  readonly caller: Caller
  /** Path template, under which requests are counted and logged. */
  readonly endpoint: string
  readonly requestsPerMinute: number
}
