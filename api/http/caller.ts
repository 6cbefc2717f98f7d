import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import type { Tier } from '#contract/tiers.ts'
import type { ApiKeys, KeyProblem } from '../accounts/keys.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { ApiError } from '../api-error.ts'
import { accountCaller } from '../limits/counters.ts'
import type { Caller } from './calls.ts'

export const sessionCookie = 'coinstrata_session'

export type Identify = (request: Request) => Caller

/**
 * Tells who sends a request: the account of its key, else that of its session, else its address. With `isOpen`
 * everyone may do everything; a key that does not hold is refused there, too.
 */
export function identifier(
  keys: ApiKeys,
  sessions: Sessions,
  isOpen: boolean,
  addressOf: (request: Request) => string,
): Identify {
  return (request) => {
    const { authorization } = request.headers
    const anonymous = (refusal?: ApiError): Caller => ({
      // IPv6 networks hand out a /64 to each customer.
      name: `address ${ipKeyGenerator(addressOf(request), 64)}`,
      accountId: undefined,
      by: 'nothing',
      tier: isOpen ? 'enterprise' : 'demo',
      isUnlimited: isOpen,
      refusal,
    })
    const known = (accountId: number, tier: Tier, by: 'key' | 'session', refusal?: ApiError): Caller => ({
      name: accountCaller(accountId),
      accountId,
      by,
      tier: isOpen ? 'enterprise' : tier,
      isUnlimited: isOpen,
      refusal,
    })
    if (authorization !== undefined) {
      const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      if (key === undefined) return anonymous(malformedHeader)
      const check = keys.check(key)
      if ('problem' in check) return anonymous(unusableKey(check))
      const downgraded = check.tier === 'free' && !isOpen ? noApiAccess() : undefined
      return known(check.accountId, check.tier, 'key', downgraded)
    }
    const token = sessionToken(request)
    const session = token === undefined ? undefined : sessions.find(token)
    return session ? known(session.accountId, session.tier, 'session') : anonymous()
  }
}

/** The token of the session cookie, if there is one. */
export const sessionToken = (request: Request): string | undefined => {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : cookiePattern.exec(cookie)?.[1]
}
const cookiePattern = new RegExp(`(?:^|; *)${sessionCookie}=([0-9a-f]{64})(?:;|$)`)

const malformedHeader = new ApiError(
  'invalid_api_key',
  "the header Authorization must read 'Bearer <key>'; leave it out for demo data",
)

function unusableKey({ problem, at }: KeyProblem): ApiError {
  const when = at === undefined ? '' : ` on ${new Date(at).toISOString().slice(0, 10)}`
  const message = {
    unknown: 'the API key is unknown: check that it is copied whole, or leave it out for demo data',
    revoked: `the API key was revoked${when}: use another one`,
    expired: `the API key expired${when}: create a new one`,
  }[problem]
  return new ApiError('invalid_api_key', message)
}

const noApiAccess = (): ApiError =>
  new ApiError(
    'insufficient_tier',
    'the account of this key has tier free, which has no API access: it needs tier pro',
    {
      tier: 'free',
      needed: 'pro',
    },
  )
