import type { ApiKey } from '#accounts/keys.ts'
import { isoDate, millisecondsPerDay } from '#base/days.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { newKeyBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import type { Caller } from '../http/calls.ts'
import { type AccountDesk, isoTime, optionalTime } from './account-service.ts'

/** In force at a time, of an account. */
const mostKeys = 100

/** Adds API keys and what was asked with them. */
export function addKeys(desk: AccountDesk): void {
  const { keys, counters, work } = desk.services

  /** Requests of this day by key. */
  const usesToday = (accountId: number): ReadonlyMap<string, number> => {
    const today = new Map<string, number>()
    for (const { key, hits } of counters.usesOf(accountId, Date.now())) {
      if (key !== null) today.set(key, (today.get(key) ?? 0) + hits)
    }
    return today
  }

  desk.add(accountActions.keys, async (request) => {
    const { account } = await desk.signedIn(request)
    const today = usesToday(account.id)
    return (await keys.list(account.id)).map((key) => shownKey(key, today.get(key.id) ?? 0))
  })
  desk.add(accountActions.createKey, async (request) => {
    const { account } = await desk.confirmed(request)
    if (account.tier === 'free') {
      const message = 'tier free has no API access: keys need tier pro or higher, which the operator sets'
      throw new ApiError('insufficient_tier', message, { tier: 'free', needed: 'pro' })
    }
    const { name, expires_in_days: days } = parseBody(newKeyBody, request.body)
    const expiresAt = days === undefined ? undefined : Date.now() + days * millisecondsPerDay
    const created = await keys.create(account.id, name, expiresAt, mostKeys)
    if (created) return [{ ...shownKey(created.record, 0), key: created.key }]
    throw new ApiError('forbidden', `an account can have at most ${mostKeys} valid keys: revoke one first`)
  })
  desk.add(accountActions.revokeKey, async (request) => {
    const { account } = await desk.signedIn(request)
    const key = await keys.revoke(String(request.params.id), account.id)
    if (!key) throw new ApiError('not_found', 'this account has no such valid key: /v1/keys lists its keys')
    return [shownKey(key, usesToday(account.id).get(key.id) ?? 0)]
  })

  desk.add(
    accountActions.usage,
    (request) => {
      const { accountId, keyId } = callerWithAccount(desk.services.calls.of(request).caller)
      return counters
        .usesOf(accountId)
        .filter(({ key }) => keyId === undefined || key === keyId)
        .map(({ windowEnds, key, endpoint, hits }) => ({ date: dateOf(windowEnds), key, endpoint, requests: hits }))
    },
    (request) => ({ budgets: work.left(desk.services.calls.of(request).caller) }),
  )
}

/** Throws `invalid_credentials`. */
function callerWithAccount({ accountId, keyId }: Caller) {
  if (accountId !== undefined) return { accountId, keyId }
  const message =
    "send an API key as 'Authorization: Bearer <key>', or sign in: POST e-mail address and password to /v1/sessions"
  throw new ApiError('invalid_credentials', message)
}

/** The day that ends then. */
const dateOf = (windowEnds: number): string => isoDate(windowEnds / millisecondsPerDay - 1)

const shownKey = ({ id, name, created_at, expires_at, revoked_at, last_used_at }: ApiKey, requestsToday: number) => ({
  id,
  name,
  created_at: isoTime(created_at),
  expires_at: optionalTime(expires_at),
  revoked_at: optionalTime(revoked_at),
  last_used_at: optionalTime(last_used_at),
  requests_today: requestsToday,
})
