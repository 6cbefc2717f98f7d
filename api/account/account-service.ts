import { type Express, json, type Request, type RequestHandler, type Response } from 'express'
import type { Account } from '#accounts/accounts.ts'
import type { AccountStores } from '#accounts/services.ts'
import { weaknessOf } from '#accounts/weak-passwords.ts'
import { type PasskeySite, passkeySiteOf } from '#accounts/webauthn.ts'
import { addressOfSocket } from '#base/socket-address.ts'
import { type AccountAction, accountActions } from '#contract/accounts/actions.ts'
import { ApiError } from '#contract/api-error.ts'
import { requireJson } from '#contract/parse-body.ts'
import type { Attempts } from '#limits/attempts.ts'
import type { Counters } from '#limits/counters.ts'
import type { DailyQuotas } from '#limits/limiter.ts'
import type { Work } from '#limits/work.ts'
import { invalid } from '#query/parse-request.ts'
import { type Identify, sentKey } from '../http/caller.ts'
import type { Calls } from '../http/calls.ts'
import { refuseOtherSites } from '../http/own-site.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { ApiSettings } from '../settings.ts'

export interface AccountServices extends Omit<AccountStores, 'close' | 'problems'> {
  readonly counters: Counters
  readonly work: Work
  readonly attempts: Attempts
  readonly calls: Calls
  readonly cookie: SessionCookie
  readonly quotas: DailyQuotas
  readonly signUp: ApiSettings['SIGN_UP']
  /** Address of the API as the world reaches it. */
  readonly publicUrl: string | undefined
  /** Below which path everything is served; empty at the root. */
  readonly basePath: string
}

/** The steps that every request to an endpoint goes through first. */
export type Guard = (
  endpoint: string,
  limitShare?: number,
  countedBy?: AccountAction['countedBy'] | Identify,
) => RequestHandler[]

/** Who is signed in, and when (milliseconds since 1970) that was last proved. */
interface SignedIn {
  readonly account: Account
  readonly token: string
  readonly confirmedAt: number
}

type Handler = (request: Request, response: Response) => unknown

/** Milliseconds for which a password or passkey counts as just given. */
const confirmedFor = 600_000

/** What the account endpoints share: how they are added, and who is signed in. */
export class AccountDesk {
  readonly services: AccountServices
  readonly #app: Express
  readonly #guard: Guard
  readonly #refuseOtherSites: RequestHandler

  constructor(app: Express, services: AccountServices, guard: Guard) {
    this.services = services
    this.#app = app
    this.#guard = guard
    this.#refuseOtherSites = refuseOtherSites(services.publicUrl)
  }

  /** Serves an action by the rows that the handler returns, with what there is to say besides. */
  add(action: AccountAction, handler: Handler, metaOf?: (request: Request) => object): void {
    const { method, path, limitShare, countedBy, status, body, bodySize } = action
    this.#app[method](
      path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...this.#guard(`${method.toUpperCase()} ${path}`, limitShare, countedBy),
      this.#refuseOtherSites,
      ...(body.type === 'undefined' ? [] : [requireJson, json({ limit: bodySize, strict: false })]),
      async (request: Request, response: Response) => {
        if (action !== accountActions.access) this.#refuseWhereOpen(request)
        const data = await handler(request, response)
        response
          .set('Cache-Control', 'no-store')
          .status(status)
          .json({ ...envelope(data), ...(metaOf && { meta: metaOf(request) }) })
      },
    )
  }

  /** Throws `invalid_credentials` where nobody is signed in. */
  async signedIn(request: Request): Promise<SignedIn> {
    const token = this.services.cookie.read(request)
    const session = token === undefined ? undefined : await this.services.sessions.look(token)
    const account = session && (await this.services.accounts.get(session.accountId))
    // A key opens data; accounts are for people who are signed in.
    if (account && token !== undefined && sentKey(request) === undefined) {
      return { account, token, confirmedAt: session.confirmedAt }
    }
    const what =
      sentKey(request) === undefined ? 'you are not signed in' : 'an API key does not open this, only signing in does'
    throw new ApiError('invalid_credentials', `${what}: POST e-mail address and password to /v1/sessions`)
  }

  /** The account of who has lately proved to be its owner. Throws `invalid_credentials`, `confirmation_needed`. */
  async confirmed(request: Request): Promise<SignedIn> {
    const signedIn = await this.signedIn(request)
    if (signedIn.confirmedAt + confirmedFor > Date.now()) return signedIn
    const message = 'give the password again first: POST it, or a passkey, to /v1/sessions/current/confirmation'
    throw new ApiError('confirmation_needed', message)
  }

  /** Signs a browser in by a new token; the session that it had ends. */
  async startSession(request: Request, response: Response, account: Account): Promise<void> {
    const { sessions, cookie } = this.services
    const earlier = cookie.read(request)
    if (earlier !== undefined) await sessions.end(earlier)
    cookie.write(request, response, await sessions.start(account.id, request.headers['user-agent']))
  }

  /** How the network address of a request is named where it is counted. */
  addressOf(request: Request): string {
    return this.services.calls.of(request).caller.name
  }

  /** Throws `forbidden` where the address allows no passkeys. */
  passkeySite(request: Request): PasskeySite {
    const site = passkeySiteOf(request.headers.origin ?? this.#originOf(request))
    if (site) return site
    throw new ApiError('forbidden', 'passkeys need https, or localhost by its name, as the address of this service')
  }

  /** The address of the service, for links. */
  addressIn(request: Request): string {
    return this.services.publicUrl ?? `${addressOfSocket(request.socket)}${this.services.basePath}`
  }

  allowsPasskeys(request: Request): boolean {
    return passkeySiteOf(this.#originOf(request)) !== undefined
  }

  async shownAccount(account: Account, confirmedAt: number) {
    const { id, email, tier, created_at } = account
    const { accounts, factors, passkeys, counters, quotas } = this.services
    const until = confirmedAt + confirmedFor
    const [today] = counters.dailyUsage(id)
    return {
      email,
      tier,
      created_at: isoTime(created_at),
      has_password: await accounts.hasAnyPassword(id),
      second_factor: await factors.isOn(id),
      recovery_codes_left: await factors.recoveryCodesLeft(id),
      passkeys: (await passkeys.list(id)).length,
      confirmed_until: until > Date.now() ? isoTime(until) : null,
      requests_today: today && today.windowEnds > Date.now() ? today.hits : 0,
      requests_per_day: quotas[tier],
    }
  }

  #originOf({ protocol, host }: Request): string {
    return this.services.publicUrl ?? `${protocol}://${host}`
  }

  /** Throws `forbidden` under open access. */
  #refuseWhereOpen(request: Request): void {
    if (!this.services.calls.of(request).caller.isUnlimited) return
    throw new ApiError('forbidden', 'this service is open to everyone (ACCESS=open) and has no accounts to sign in to')
  }
}

/** Throws `invalid_parameter` for a password that is easy to guess. */
export function refuseWeakPassword(field: string, password: string, email: string): void {
  const weakness = weaknessOf(password, email)
  if (weakness !== undefined) throw invalid(field, weakness)
}

const envelope = (data: unknown) => ({
  success: true,
  data,
  count: Array.isArray(data) ? data.length : 0,
  timestamp: new Date().toISOString(),
})

export const isoTime = (time: number): string => new Date(time).toISOString()
export const optionalTime = (time: number | null): string | null => (time === null ? null : isoTime(time))
