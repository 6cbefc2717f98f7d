import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import { isUnavailable } from '#accounts/database/statements.ts'
import type { KeyProblem } from '#accounts/keys.ts'
import type { TokenHolder } from '#accounts/oauth/tokens.ts'
import type { AccountStores } from '#accounts/services.ts'
import { andThen, type MaybePromise } from '#base/maybe-promise.ts'
import { ApiError, accountsUnavailable as unavailable } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import { accessTokenPrefix, accountToolPath } from '#contract/oauth.ts'
import type { Tier } from '#contract/tiers.ts'
import { accountCaller } from '#limits/counters.ts'
import type { SessionCookie } from './session-cookie.ts'

export type Identify = (request: Request) => MaybePromise<Caller>
export type IdentifyAddress = (request: Request) => Caller

export function addressIdentifier(isOpen: boolean, readAddress: (request: Request) => string): IdentifyAddress {
  return (request) => ({
    // IPv6 providers assign each customer a /64.
    name: `address ${ipKeyGenerator(readAddress(request), 64)}`,
    accountId: undefined,
    keyId: undefined,
    by: 'nothing',
    tier: isOpen ? 'enterprise' : 'demo',
    isUnlimited: isOpen,
    refusal: undefined,
  })
}

interface IdentifierParts extends Pick<AccountStores, 'keys' | 'sessions'> {
  readonly isOpen: boolean
  readonly cookie: SessionCookie
  readonly byAddress: IdentifyAddress
  readonly readAddress: (request: Request) => string
}

/** Undefined if the token is not valid for this request. */
export type CheckToken = (token: string, request: Request) => MaybePromise<TokenHolder | undefined>

/**
 * Identifies by API key or access token, else by session, else by address. Even with `isOpen`,
 * which permits everything, invalid keys are refused.
 */
export function identifier(
  { keys, sessions, isOpen, cookie, byAddress, readAddress }: IdentifierParts,
  checkToken: CheckToken,
): Identify {
  const identify: Identify = (request) => {
    const link = readLink(request)?.key
    const sent = link ?? readKey(request)
    const known = (accountId: number, keyId: string | undefined, tier: Tier, refusal?: ApiError): Caller => ({
      name: accountCaller(accountId),
      accountId,
      keyId,
      by: keyId === undefined ? 'session' : 'key',
      tier: isOpen ? 'enterprise' : tier,
      isUnlimited: isOpen,
      refusal,
    })
    if (sent instanceof ApiError) return { ...byAddress(request), refusal: sent }
    if (sent?.startsWith(accessTokenPrefix)) {
      return andThen(checkToken(sent, request), (holder) =>
        holder
          ? known(holder.accountId, holder.grantId, holder.tier)
          : { ...byAddress(request), refusal: unusableToken },
      )
    }
    if (sent !== undefined) {
      return andThen(keys.check(sent, readAddress(request)), (check) => {
        const refuse = (problem: KeyProblem): Caller => ({
          ...byAddress(request),
          refusal: unusableKey(problem, link !== undefined),
        })
        if ('problem' in check) return refuse(check)
        // Keys open no links, nor links anything else.
        if ((check.request === undefined) !== (link === undefined)) return refuse({ problem: 'unknown' })
        const downgraded = check.tier === 'free' && !isOpen ? noApiAccess() : undefined
        return { ...known(check.accountId, check.id, check.tier, downgraded), request: check.request }
      })
    }
    const token = cookie.read(request)
    if (token === undefined) return byAddress(request)
    return andThen(sessions.find(token), (session) =>
      session ? known(session.account_id, undefined, session.tier) : byAddress(request),
    )
  }
  return (request) => {
    const found = identify(request)
    if (!(found instanceof Promise)) return found
    // Callers with a key are refused while accounts cannot be reached.
    return found.catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
      return { ...byAddress(request), refusal: unavailable(error) }
    })
  }
}

/** The key and format in the path of a data link. */
export function readLink({ url }: Request): { readonly key: string; readonly format: string } | undefined {
  const [, key, format] = /^\/p\/(cd_[0-9a-f_]+)\.(csv|parquet)(?:\?|$)/.exec(url) ?? []
  return key === undefined || format === undefined ? undefined : { key, format }
}

/** An error if the key or token is malformed. */
export function readKey({ headers }: Pick<Request, 'headers'>): string | ApiError | undefined {
  const { authorization } = headers
  const plain = headers['x-api-key']
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (authorization !== undefined && bearer === undefined) return malformedHeader
  if (plain === undefined) return bearer
  if (typeof plain !== 'string' || !/^\S+$/.test(plain)) return malformedKey
  return bearer === undefined || bearer === plain ? plain : twoKeys
}

const twoKeys = new ApiError(
  'invalid_parameter',
  'the headers Authorization and X-API-Key hold two different keys: send one of them',
)
const malformedKey = new ApiError(
  'invalid_api_key',
  'the header X-API-Key must hold only the key; leave it out for demo data',
)
const malformedHeader = new ApiError(
  'invalid_api_key',
  "the header Authorization must read 'Bearer <key>'; leave it out for demo data",
)

function unusableKey({ problem, at }: KeyProblem, isLink: boolean): ApiError {
  const [what, orNone] = isLink ? ['link', ''] : ['API key', ', or leave it out for demo data']
  const when = at === undefined ? '' : ` on ${new Date(at).toISOString().slice(0, 10)}`
  const message = {
    unknown: `the ${what} is unknown: check that you copied all of it${orNone}`,
    revoked: `the ${what} was revoked${when}: use another one`,
    expired: `the ${what} expired${when}: create a new one`,
    elsewhere: `this ${what} is limited to other networks than yours: its owner can create one for yours`,
  }[problem]
  return new ApiError(problem === 'elsewhere' ? 'network_not_allowed' : 'invalid_api_key', message)
}

const unusableToken = new ApiError(
  'invalid_api_key',
  `the access token has expired, was revoked, or is not for this address: tokens open ${accountToolPath} alone`,
)

function noApiAccess(): ApiError {
  const message = 'the account of this key has tier free, which has no API access: it needs tier pro'
  return new ApiError('insufficient_tier', message, { tier: 'free', needed: 'pro' })
}
