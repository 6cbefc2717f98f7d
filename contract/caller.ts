import type { ApiError } from './api-error.ts'
import type { Tier } from './tiers.ts'

export interface Caller {
  /** Limits count by account, else by address. */
  readonly name: string
  readonly tier: Tier
  readonly accountId: number | undefined
  /** Beginning of the API key, or id of the connected app. */
  readonly keyId: string | undefined
  readonly by: 'nothing' | 'key' | 'session'
  /** Path and query of the only request of a data link. */
  readonly request?: string | undefined
  /** Exempt from limits, like everybody under open access. */
  readonly isUnlimited: boolean
  /** Why every request is refused. */
  readonly refusal: ApiError | undefined
}

export interface Call {
  readonly caller: Caller
  /** Path template for counts and logs. */
  readonly endpoint: string
  readonly requestsPerMinute: number
}
