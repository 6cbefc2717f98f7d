import { msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { textTable } from '#base/text-table.ts'
import { paths } from '#contract/paths.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import type { Account, Accounts } from './accounts.ts'
import { type AccountStores, type AccountsLocation, openAccountStores, type SignUp } from './services.ts'
import { findWeakness } from './weak-passwords.ts'

/** What `coinstrata accounts …` and `coinstrata keys …` do; each returns the text to print. */
const withStores = async <T>(place: AccountsLocation, work: (services: AccountStores) => Promise<T>): Promise<T> => {
  const services = await openAccountStores(place)
  try {
    return await work(services)
  } finally {
    await services.close()
  }
}

/** Throws `invalid_argument` for an address that has an account, and for a password that is easy to guess. */
export const createAccount = (
  place: AccountsLocation,
  email: string,
  tier: string,
  password?: string,
): Promise<string> =>
  withStores(place, async ({ accounts }) => {
    if (password !== undefined) refuseWeakPassword(password, email)
    const account = await accounts.create(email, parseTier(tier), password)
    if (account) return `account ${account.email} has tier ${account.tier}\n`
    throw new CoinstrataError('invalid_argument', `'${email}' already has an account`, {
      cure: '"coinstrata accounts set-tier" changes its tier',
    })
  })

function refuseWeakPassword(password: string, email: string): void {
  const weakness = [...password].length < 12 ? 'has fewer than 12 characters' : findWeakness(password, email)
  if (weakness === undefined) return
  throw new CoinstrataError('invalid_argument', `the password in ACCOUNT_PASSWORD ${weakness}`, {
    cure: 'choose a longer or less common one, or leave it out and use "coinstrata accounts reset-link"',
  })
}

export interface LinkSettings extends AccountsLocation {
  readonly SIGN_UP: SignUp
}

/** Address of the service in a link, without a slash at the end. */
export interface LinkAddress {
  readonly url: string
  /** Whether the operator set it (PUBLIC_URL), rather than this program assuming it. */
  readonly isConfigured: boolean
}

/**
 * A link by which the user of an account chooses a password; an address without an account gets one of that tier, by
 * which it is invited. `forgetFactors` also removes the second factor and the passkeys of who has lost them. Throws
 * `invalid_argument` for who may not be invited.
 */
export const createResetLink = (
  settings: LinkSettings,
  { url, isConfigured }: LinkAddress,
  email: string,
  tier: string | undefined,
  removeFactors: boolean,
): Promise<string> =>
  withStores(settings, async ({ accounts, links, factors, passkeys }) => {
    const known = await accounts.find(email)
    if (!known && settings.SIGN_UP === 'off') {
      throw new CoinstrataError(
        'invalid_argument',
        `'${email}' has no account, and SIGN_UP=off allows no invitations`,
        {
          cure: 'create one with "coinstrata accounts create", or set SIGN_UP=invited',
        },
      )
    }
    if (known && tier !== undefined && tier !== known.tier) {
      throw new CoinstrataError('invalid_argument', `'${email}' has an account of tier ${known.tier}`, {
        cure: 'leave --tier out, or change the tier with "coinstrata accounts set-tier"',
      })
    }
    const account = known ?? (await accounts.create(email, parseTier(tier ?? 'free')))
    if (!account) throw new Error(`account ${email} cannot be made`)
    if (removeFactors) {
      await factors.remove(account.id)
      await passkeys.removeAll(account.id)
    }
    const words = known ? 'choose a new password' : `accept the invitation (tier ${account.tier})`
    const elsewhere = isConfigured
      ? ''
      : `If your server listens at another address than ${url}, set PORT or PUBLIC_URL here, too.\n`
    return `${url}/account#link=${await links.create(account.id, 'password')}
With this link ${account.email} can ${words}, once and within 30 minutes. So can anybody else who has it: send it safely.
${elsewhere}`
  })

export const listAccounts = (place: AccountsLocation): Promise<string> =>
  withStores(place, async ({ accounts }) => {
    const rows = (await accounts.list()).map(({ email, tier, created_at }) => [email, tier, formatDate(created_at)])
    return textTable(['account', 'tier', 'since'], rows)
  })

export const setTier = (place: AccountsLocation, email: string, tier: string): Promise<string> =>
  withStores(place, async ({ accounts }) => {
    const account = await accounts.setTier(email, parseTier(tier))
    return `account ${account.email}, created on ${formatDate(account.created_at)}, now has tier ${account.tier}\n`
  })

/** Throws `invalid_argument` for an unknown address, and for an account whose tier has no keys. */
export const createKey = (
  place: AccountsLocation,
  email: string,
  name: string,
  expiresInDays?: number,
): Promise<string> =>
  withStores(place, async ({ accounts, keys }) => {
    const account = await accounts.require(email)
    if (account.tier === 'free') {
      throw new CoinstrataError('invalid_argument', `${account.email} has tier free, which has no API keys`, {
        cure: `"coinstrata accounts set-tier ${account.email} pro" gives it the lowest tier with keys`,
      })
    }
    const { key, record } = await newKey(keys, account, name, expiresInDays)
    const until = record.expires_at === null ? 'until it is revoked' : `until ${formatDate(record.expires_at)}`
    return `${key}\nThis key of ${account.email} is valid ${until}. It is shown only once: keep it safe.\n`
  })

export const listKeys = (place: AccountsLocation, email: string): Promise<string> =>
  withStores(place, async ({ accounts, keys }) => {
    const { id: accountId } = await accounts.require(email)
    const rows = (await keys.list(accountId)).map(({ id, name, created_at, last_used_at, expires_at, revoked_at }) => [
      id,
      name,
      formatDate(created_at),
      last_used_at === null ? 'never' : formatDate(last_used_at),
      describeState(expires_at, revoked_at),
    ])
    return textTable(['key', 'name', 'created', 'last used', 'state'], rows)
  })

/** Throws `invalid_argument` where there is no such key in force. */
export const revokeKey = (place: AccountsLocation, id: string): Promise<string> =>
  withStores(place, async ({ keys }) => {
    const key = await keys.revoke(id)
    if (key) return `key ${key.id} (${key.name}) is revoked\n`
    throw new CoinstrataError('invalid_argument', `there is no valid key '${id}'`, {
      cure: '"coinstrata keys list" shows the first characters of each key of an account, such as cs_0123456789ab',
    })
  })

/** A new enterprise key to try the service with; for made-up data only. */
export const createTrialKey = (place: AccountsLocation): Promise<string> =>
  withStores(place, async ({ accounts, keys }) => {
    const account = await trialAccount(accounts)
    return (await newKey(keys, account, 'made by start', trialDays)).key
  })

/** A key to try the service with where none is valid, else the date until which the newest one is: only its hash is stored. */
export const trialKey = (
  place: AccountsLocation,
): Promise<{ readonly key: string } | { readonly validUntil: string }> =>
  withStores(place, async ({ accounts, keys }) => {
    const account = await trialAccount(accounts)
    const valid = (await keys.list(account.id)).filter(({ revoked_at }) => revoked_at === null)
    const until = Math.max(...valid.map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY))
    if (until <= Date.now()) return { key: (await newKey(keys, account, 'made by start', trialDays)).key }
    return { validUntil: Number.isFinite(until) ? formatDate(until) : 'it is revoked' }
  })

/** The path of a link that signs a browser in once, with everything open; for made-up data only. */
export const createTrialLink = (place: AccountsLocation): Promise<string> =>
  withStores(place, async ({ accounts, links }) => {
    const account = await trialAccount(accounts)
    return paths.welcome.replace('{token}', await links.create(account.id, 'trial'))
  })

/** As many as the operator wants. */
async function newKey(keys: AccountStores['keys'], { id, email }: Account, name: string, days: number | undefined) {
  const created = await keys.create(id, name, expiryAfter(days))
  if (created) return created
  throw new Error(`a key of ${email} cannot be made`)
}

async function trialAccount(accounts: Accounts): Promise<Account> {
  const account = (await accounts.find(trialEmail)) ?? (await accounts.create(trialEmail, 'enterprise'))
  if (account) return account
  throw new Error(`account ${trialEmail} cannot be made`)
}

export const trialEmail = 'trial@localhost.localdomain'
const trialDays = 30

function expiryAfter(days: number | undefined): number | undefined {
  return days === undefined ? undefined : Date.now() + days * msPerDay
}

function parseTier(text: string): AccountTier {
  const tier = accountTiers.find((known) => known === text)
  if (tier) return tier
  throw new CoinstrataError('invalid_argument', `'${text}' is not a tier`, { cure: `use ${accountTiers.join(', ')}` })
}

const formatDate = (time: number): string => new Date(time).toISOString().slice(0, 10)

function describeState(expiresAt: number | null, revokedAt: number | null): string {
  if (revokedAt !== null) return `revoked ${formatDate(revokedAt)}`
  if (expiresAt === null) return 'valid'
  return `${expiresAt > Date.now() ? 'valid until' : 'expired'} ${formatDate(expiresAt)}`
}
