import type { ApiError } from './api-error.ts'
import type { Tier } from './tiers.ts'

export interface Caller {
  /** Limits count by it: the account, or the address without one. */
  readonly name: string
  readonly tier: Tier
  readonly accountId: number | undefined
  /** Beginning of its API key, or the id of its connected app. */
  readonly keyId: string | undefined
  readonly by: 'nothing' | 'key' | 'session'
  /** Exempt from limits, as everybody is under open access. */
  readonly isUnlimited: boolean
  /** Why every request of this caller is refused. */
  readonly refusal: ApiError | undefined
}

export interface Call {
  readonly caller: Caller
  /** Path template for counts and logs. */
  readonly endpoint: string
  readonly requestsPerMinute: number
}
