import type { AccountAction } from '#contract/accounts/actions.ts'
import { ApiError, invalidParameter } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import type { Account } from './accounts.ts'
import type { AccountServices } from './services.ts'
import { findWeakness } from './weak-passwords.ts'
import { type PasskeySite, parsePasskeySite } from './webauthn.ts'

export interface AccountRequest {
  readonly caller: Caller
  readonly parameters: Readonly<Record<string, string>>
  readonly body: unknown
  readonly token: string | undefined
  /** Keys give access to data, not to accounts. */
  readonly hasKey: boolean
  readonly userAgent: string | undefined
  /** PUBLIC_URL, else scheme and Host of the request if on this machine. */
  readonly serviceOrigin: string | undefined
  /** For links; without a trailing slash. */
  readonly serviceUrl: string
  readonly issuer: string
  readonly isOperator: () => Promise<boolean>
  readonly setToken: (token: string | undefined) => void
}

/** `handle` returns `data` of the response, `meta` its metadata. */
type AddOpen = (
  action: AccountAction,
  handle: (call: AccountCall) => unknown,
  meta?: (call: AccountCall) => object,
) => void
type AddPrivate = (action: AccountAction, handle: (signedIn: SignedIn, call: AccountCall) => unknown) => void

/** Adds an endpoint for everybody, for `AccountCall.signedIn`, or for `AccountCall.confirmed`. */
export interface AddAction {
  readonly open: AddOpen
  readonly signedIn: AddPrivate
  readonly confirmed: AddPrivate
}

export const actionAdder = (open: AddOpen): AddAction => ({
  open,
  signedIn: (action, handle) => open(action, async (call) => handle(await call.signedIn(), call)),
  confirmed: (action, handle) => open(action, async (call) => handle(await call.confirmed(), call)),
})

/** Deletes by the id in the path; errors refer to `list`. */
export const removal =
  (what: string, list: AccountAction, store: { remove(accountId: number, id: string): Promise<boolean> }) =>
  async ({ account }: SignedIn, call: AccountCall) => {
    const id = call.parameter('id')
    if (await store.remove(account.id, id)) return [{ id }]
    throw new ApiError('not_found', `this account has no such ${what}: ${list.path} lists them`)
  }

/** `confirmedAt`: time of the last password or passkey, in ms since 1970. */
interface SignedIn {
  readonly account: Account
  readonly token: string
  readonly confirmedAt: number
}

/** A password or passkey confirms for this long. */
const confirmationMs = 600_000

export class AccountCall {
  readonly request: AccountRequest
  readonly #services: AccountServices

  constructor(request: AccountRequest, services: AccountServices) {
    this.request = request
    this.#services = services
  }

  /** Attempts are counted by this name. */
  get address(): string {
    return this.request.caller.name
  }

  parameter(name: string): string {
    return this.request.parameters[name] ?? ''
  }

  async signedIn(): Promise<SignedIn> {
    const { token, hasKey } = this.request
    const session = token === undefined ? undefined : await this.#services.sessions.findUncached(token)
    const account = session && (await this.#services.accounts.get(session.account_id))
    if (account && token !== undefined && !hasKey) return { account, token, confirmedAt: session.confirmed_at }
    const problem = hasKey ? 'an API key does not open this, only signing in does' : 'you are not signed in'
    throw new ApiError('invalid_credentials', `${problem}: POST e-mail address and password to /v1/sessions`)
  }

  /** Throws `confirmation_needed` if the last password or passkey is too old. */
  async confirmed(): Promise<SignedIn> {
    const signedIn = await this.signedIn()
    if (signedIn.confirmedAt + confirmationMs > Date.now()) return signedIn
    const message = 'give the password again first: POST it, or a passkey, to /v1/sessions/current/confirmation'
    throw new ApiError('confirmation_needed', message)
  }

  async startSession(account: Account): Promise<void> {
    const { sessions } = this.#services
    const { token, userAgent, setToken } = this.request
    if (token !== undefined) await sessions.end(token)
    setToken(await sessions.start(account.id, userAgent))
  }

  passkeySite(): PasskeySite {
    const site = parsePasskeySite(this.request.serviceOrigin)
    if (site) return site
    const message =
      'passkeys need an https address of this service in PUBLIC_URL, which its operator sets, or localhost'
    throw new ApiError('forbidden', message)
  }

  async describe({ id, email, tier, created_at }: Account, confirmedAt: number) {
    const { accounts, factors, passkeys, counters, quotas } = this.#services
    const until = confirmedAt + confirmationMs
    const [today] = counters.dailyUsage(id)
    return {
      email,
      tier,
      created_at: new Date(created_at).toISOString(),
      has_password: await accounts.hasAnyPassword(id),
      second_factor: await factors.isOn(id),
      recovery_codes_left: await factors.recoveryCodesLeft(id),
      passkeys: (await passkeys.list(id)).length,
      confirmed_until: until > Date.now() ? new Date(until).toISOString() : null,
      requests_today: today && today.windowEnds > Date.now() ? today.hits : 0,
      requests_per_day: quotas[tier],
    }
  }
}

export function refuseWeakPassword(field: string, password: string, email: string): void {
  const weakness = findWeakness(password, email)
  if (weakness !== undefined) throw invalidParameter(field, weakness)
}
