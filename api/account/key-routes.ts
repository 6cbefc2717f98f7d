import type { AddAction } from '#accounts/account-call.ts'
import type { ApiKey } from '#accounts/keys.ts'
import { isoDate, msPerDay } from '#base/days.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { newKeyBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import { parseBody } from '#contract/parse-body.ts'
import type { RouteParts } from './account-routes.ts'

const maxKeys = 100
/** By default. */
const linkDays = 365

export function addKeys(add: AddAction, { keys, counters, admission, checkDataRequest }: RouteParts): void {
  const countUsesToday = (accountId: number): ReadonlyMap<string, number> => {
    const today = new Map<string, number>()
    for (const { key, hits } of counters.listUses(accountId, Date.now())) {
      if (key !== null) today.set(key, (today.get(key) ?? 0) + hits)
    }
    return today
  }

  add.signedIn(accountActions.keys, async ({ account }) => {
    const today = countUsesToday(account.id)
    return (await keys.list(account.id)).map((key) => describeKey(key, today.get(key.id) ?? 0))
  })
  add.confirmed(accountActions.createKey, async ({ account }, call) => {
    if (account.tier === 'free') {
      const message = 'tier free has no API access: keys need tier pro or higher, which the operator sets'
      throw new ApiError('insufficient_tier', message, { tier: 'free', needed: 'pro' })
    }
    const { name, limits, expires_in_days } = parseBody(newKeyBody, call.request.body)
    if (limits?.request !== undefined) checkDataRequest(limits.request)
    const days = expires_in_days ?? (limits?.request === undefined ? undefined : linkDays)
    const expiresAt = days === undefined ? undefined : Date.now() + days * msPerDay
    const created = await keys.create(account.id, name, expiresAt, maxKeys, limits)
    if (created) return [{ ...describeKey(created.record, 0), key: created.key }]
    throw new ApiError('forbidden', `an account can have at most ${maxKeys} valid keys: revoke one first`)
  })
  add.signedIn(accountActions.revokeKey, async ({ account }, call) => {
    const key = await keys.revoke(call.parameter('id'), account.id)
    if (!key) throw new ApiError('not_found', 'this account has no such valid key: /v1/keys lists its keys')
    return [describeKey(key, countUsesToday(account.id).get(key.id) ?? 0)]
  })

  add.open(
    accountActions.usage,
    (call) => {
      const { accountId, keyId } = callerWithAccount(call.request.caller)
      return counters
        .listUses(accountId)
        .filter(({ key }) => keyId === undefined || key === keyId)
        .map(({ windowEnds, key, endpoint, hits }) => ({ date: formatDay(windowEnds), key, endpoint, requests: hits }))
    },
    (call) => ({ budgets: admission.left(call.request.caller) }),
  )
}

export function callerWithAccount({ accountId, keyId }: Caller) {
  if (accountId !== undefined) return { accountId, keyId }
  const message =
    "send an API key as 'Authorization: Bearer <key>', or sign in: POST e-mail address and password to /v1/sessions"
  throw new ApiError('invalid_credentials', message)
}

const formatDay = (windowEnds: number): string => isoDate(windowEnds / msPerDay - 1)

const describeKey = ({ account_id: _, ...key }: ApiKey, requests_today: number) => ({ ...key, requests_today })
