import type { Express, Request, RequestHandler, Response } from 'express'
import { json } from 'express'
import type { z } from 'zod'
import { type AccountAction, accountActions, newKeyBody, signInBody, signUpBody } from '#contract/accounts.ts'
import { isoDate, millisecondsPerDay } from '#root/days.ts'
import { ApiError } from '../api-error.ts'
import { sessionCookie, sessionToken } from '../http/caller.ts'
import type { Calls } from '../http/calls.ts'
import type { Counters } from '../limits/counters.ts'
import { invalid } from '../parse-request.ts'
import type { Account, Accounts } from './accounts.ts'
import type { ApiKey, ApiKeys } from './keys.ts'
import { type Sessions, sessionSeconds } from './sessions.ts'

export interface AccountServices {
  readonly accounts: Accounts
  readonly keys: ApiKeys
  readonly sessions: Sessions
  readonly counters: Counters
  readonly calls: Calls
}

/** Adds the account endpoints; `guard` gives the steps that every request to an endpoint goes through first. */
export function addAccountRoutes(
  app: Express,
  services: AccountServices,
  guard: (endpoint: string, limitShare: number) => RequestHandler[],
): void {
  const { accounts, keys, sessions, counters, calls } = services
  const add = (action: AccountAction, handler: (request: Request, response: Response) => unknown): void => {
    const { method, path, limitShare, status } = action
    app[method](
      path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...guard(`${method.toUpperCase()} ${path}`, limitShare),
      refuseOtherSites,
      ...(method === 'post' ? [requireJson, json({ limit: '16kb', strict: false })] : []),
      async (request: Request, response: Response) => {
        const data = await handler(request, response)
        response.set('Cache-Control', 'no-store').status(status).json(envelope(data))
      },
    )
  }
  /** Throws `invalid_credentials` where nobody is signed in. */
  const signedIn = (request: Request): Account => {
    const { accountId, by } = calls.of(request).caller
    const account = accountId === undefined || by !== 'session' ? undefined : accounts.get(accountId)
    if (account) return account
    throw new ApiError('invalid_credentials', 'nobody is signed in: POST e-mail address and password to /v1/sessions')
  }
  const startSession = (request: Request, response: Response, account: Account): void => {
    response.cookie(sessionCookie, sessions.start(account.id), {
      httpOnly: true,
      sameSite: 'strict',
      secure: request.secure,
      maxAge: sessionSeconds * 1000,
    })
  }

  add(accountActions.signUp, async (request, response) => {
    const { email, password } = parseBody(signUpBody, request.body)
    const account = await accounts.create(email, 'free', password)
    if (!account) throw new ApiError('account_exists', `'${email}' has an account: sign in instead`)
    startSession(request, response, account)
    return [shownAccount(account)]
  })
  add(accountActions.signIn, async (request, response) => {
    const { email, password } = parseBody(signInBody, request.body)
    const account = await accounts.signIn(email, password)
    if (!account) throw new ApiError('invalid_credentials', 'e-mail address and password do not belong together')
    startSession(request, response, account)
    return [shownAccount(account)]
  })
  add(accountActions.signOut, (request, response) => {
    const account = signedIn(request)
    const token = sessionToken(request)
    if (token !== undefined) sessions.end(token)
    response.clearCookie(sessionCookie)
    return [shownAccount(account)]
  })
  add(accountActions.account, (request) => [shownAccount(signedIn(request))])
  add(accountActions.keys, (request) => keys.list(signedIn(request).id).map(shownKey))
  add(accountActions.createKey, (request) => {
    const account = signedIn(request)
    if (account.tier === 'free') {
      const message = 'tier free has no API access: keys need tier pro or higher, which the operator sets'
      throw new ApiError('insufficient_tier', message, { tier: 'free', needed: 'pro' })
    }
    const { name, expires_in_days: days } = parseBody(newKeyBody, request.body)
    const expiresAt = days === undefined ? undefined : Date.now() + days * millisecondsPerDay
    const { key, record } = keys.create(account.id, name, expiresAt)
    return [{ ...shownKey(record), key }]
  })
  add(accountActions.revokeKey, (request) => {
    const account = signedIn(request)
    const key = keys.revoke(String(request.params.id), account.id)
    if (!key) throw new ApiError('not_found', 'this account has no such key in force: /v1/keys lists them')
    return [shownKey(key)]
  })
  add(accountActions.usage, (request) =>
    counters.dailyUsage(signedIn(request).id).map(({ windowEnds, hits }) => ({
      date: isoDate(windowEnds / millisecondsPerDay - 1),
      requests: hits,
    })),
  )
}

const envelope = (data: unknown) => ({
  success: true,
  data,
  count: Array.isArray(data) ? data.length : 0,
  timestamp: new Date().toISOString(),
})

const isoTime = (time: number): string => new Date(time).toISOString()
const shownAccount = ({ email, tier, created_at }: Account) => ({ email, tier, created_at: isoTime(created_at) })
const shownKey = ({ id, name, created_at, expires_at, revoked_at, last_used_at }: ApiKey) => ({
  id,
  name,
  created_at: isoTime(created_at),
  expires_at: expires_at === null ? null : isoTime(expires_at),
  revoked_at: revoked_at === null ? null : isoTime(revoked_at),
  last_used_at: last_used_at === null ? null : isoTime(last_used_at),
})

/** Pages of other sites must not act with the cookie of a visitor. */
const refuseOtherSites: RequestHandler = (request, _, next) => {
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return next()
  throw new ApiError('forbidden', 'accounts can only be reached from pages of this service')
}

/** Throws `unsupported_media_type` for a body that is not said to be JSON. */
export const requireJson: RequestHandler = (request, _, next) => {
  if (request.is('application/json')) return next()
  throw new ApiError('unsupported_media_type', 'send a JSON body with the header Content-Type: application/json')
}

/** Throws `invalid_parameter` that names the first field that cannot be used. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true })
  if (result.success) return result.data
  const issue = firstIssue(result.error.issues)
  if (issue?.code === 'unrecognized_keys') {
    throw invalid([...issue.path, issue.keys[0]].join('.'), 'is unknown here: leave it out')
  }
  const name = issue?.path.join('.') || 'body'
  throw invalid(name, issue?.code === 'invalid_type' && issue.input === undefined ? 'is missing' : issue!.message)
}

/** Of a value that fits none of several forms, the problem with the form that it comes closest to. */
function firstIssue([issue]: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue
  const inner = issue.errors.map(firstIssue).find((one) => one !== undefined && one.path.length > 0)
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue
}
