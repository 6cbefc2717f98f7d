import { msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { textTable } from '#base/text-table.ts'
import { paths } from '#contract/paths.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import type { Account, Accounts } from './accounts.ts'
import { type AccountStores, openAccountStores, type SignUp, type StoreSettings } from './services.ts'
import { findWeakness } from './weak-passwords.ts'

// `coinstrata accounts …` and `keys …`; functions return the text to print.

const withStores = async <T>(store: StoreSettings, work: (services: AccountStores) => Promise<T>): Promise<T> => {
  const services = await openAccountStores(store)
  try {
    return await work(services)
  } finally {
    await services.close()
  }
}

export const createAccount = (store: StoreSettings, email: string, tier: string, password?: string): Promise<string> =>
  withStores(store, async ({ accounts }) => {
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

export interface LinkAddress {
  /** Without a trailing slash. */
  readonly url: string
  /** False if assumed: PUBLIC_URL is not set. */
  readonly isConfigured: boolean
}

/**
 * Creates a link to set the password of an account, or to invite an address without one, which gets
 * an account of `tier`. `removeFactors` also removes the second factor and passkeys.
 */
export const createResetLink = (
  settings: StoreSettings & { readonly SIGN_UP: SignUp },
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
    if (!account) throw new Error(`account ${email} cannot be created`)
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
${warnUnverified(account, 'The link removes all that the account has: sessions, keys, passkeys, second factor, apps, webhooks, pictures, board.')}${elsewhere}`
  })

const warnUnverified = ({ email, tier, verified_at }: Account, cure: string): string =>
  verified_at === null
    ? `Warning: nobody has verified ${email}, so anybody may have signed up with it. ${cure}
If you know that the account belongs to its owner: coinstrata accounts set-tier ${email} ${tier} --verified\n`
    : ''

export const listAccounts = (store: StoreSettings): Promise<string> =>
  withStores(store, async ({ accounts }) => {
    const rows = (await accounts.list()).map(({ email, tier, created_at, verified_at }) => [
      email,
      tier,
      formatDate(created_at),
      verified_at === null ? 'never' : formatDate(verified_at),
    ])
    return textTable(['account', 'tier', 'since', 'verified'], rows)
  })

export const printAccountLog = (store: StoreSettings, email?: string): Promise<string> =>
  withStores(store, async ({ accounts, accountLog }) => {
    const id = email === undefined ? null : (await accounts.require(email)).id
    const lines = await accountLog.list(id, Number.MAX_SAFE_INTEGER)
    const rows = lines.map((line) => [
      ...[line.created_at, line.email ?? '(deleted)', line.actor, line.address ?? '', `${line.change} ${line.detail}`],
    ])
    return textTable(['time', 'account', 'by', 'from', 'change'], rows)
  })

export const setTier = (store: StoreSettings, email: string, tier: string, isVerified = false): Promise<string> =>
  withStores(store, async ({ accounts }) => {
    const account = await accounts.setTier(email, parseTier(tier), isVerified)
    const cure = `"coinstrata accounts reset-link ${account.email}" prints a link for the owner, which removes all that was added before.`
    return `account ${account.email}, created on ${formatDate(account.created_at)}, now has tier ${account.tier}\n${warnUnverified(account, cure)}`
  })

export const createKey = (store: StoreSettings, email: string, name: string, expiresInDays?: number): Promise<string> =>
  withStores(store, async ({ accounts, keys }) => {
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

export const listKeys = (store: StoreSettings, email: string): Promise<string> =>
  withStores(store, async ({ accounts, keys }) => {
    const { id: accountId } = await accounts.require(email)
    const rows = (await keys.list(accountId)).map(({ id, name, created_at, last_used_at, limits, ...key }) => [
      id,
      name,
      formatDate(created_at),
      last_used_at === null ? 'never' : formatDate(last_used_at),
      describeState(key.expires_at, key.revoked_at),
      limits === null ? '' : JSON.stringify(limits),
    ])
    return textTable(['key', 'name', 'created', 'last used', 'state', 'limits'], rows)
  })

export const revokeKey = (store: StoreSettings, id: string): Promise<string> =>
  withStores(store, async ({ keys }) => {
    const key = await keys.revoke(id)
    if (key) return `key ${key.id} (${key.name}) is revoked\n`
    throw new CoinstrataError('invalid_argument', `there is no valid key '${id}'`, {
      cure: '"coinstrata keys list" shows the first characters of each key of an account, such as cs_0123456789ab',
    })
  })

/** Creates an enterprise key; for simulated data only. */
export const createTrialKey = (store: StoreSettings): Promise<string> =>
  withStores(store, async ({ accounts, keys }) => {
    const account = await trialAccount(accounts)
    return (await newKey(keys, account, 'made by start', trialDays)).key
  })

/**
 * Creates a trial key if none is valid; otherwise returns the last expiry date: texts of keys are
 * not stored.
 */
export const trialKey = (store: StoreSettings): Promise<{ readonly key: string } | { readonly validUntil: string }> =>
  withStores(store, async ({ accounts, keys }) => {
    const account = await trialAccount(accounts)
    const valid = (await keys.list(account.id)).filter(({ revoked_at }) => revoked_at === null)
    const until = Math.max(
      ...valid.map(({ expires_at }) => (expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at))),
    )
    if (until <= Date.now()) return { key: (await newKey(keys, account, 'made by start', trialDays)).key }
    return { validUntil: Number.isFinite(until) ? formatDate(until) : 'it is revoked' }
  })

/**
 * Returns the path of a single-use link to sign in to the trial account; for simulated data only.
 */
export const createTrialLink = (store: StoreSettings): Promise<string> =>
  withStores(store, async ({ accounts, links }) => {
    const account = await trialAccount(accounts)
    return paths.welcome.replace('{token}', await links.create(account.id, 'trial'))
  })

async function newKey(keys: AccountStores['keys'], { id, email }: Account, name: string, days: number | undefined) {
  const created = await keys.create(id, name, days === undefined ? undefined : Date.now() + days * msPerDay)
  if (created) return created
  throw new Error(`a key of ${email} cannot be created`)
}

async function trialAccount(accounts: Accounts): Promise<Account> {
  const account = (await accounts.find(trialEmail)) ?? (await accounts.create(trialEmail, 'enterprise'))
  if (account) return account
  throw new Error(`account ${trialEmail} cannot be created`)
}

export const trialEmail = 'trial@localhost.localdomain'
const trialDays = 30

function parseTier(text: string): AccountTier {
  const tier = accountTiers.find((known) => known === text)
  if (tier) return tier
  throw new CoinstrataError('invalid_argument', `'${text}' is not a tier`, { cure: `use ${accountTiers.join(', ')}` })
}

const formatDate = (time: number | string): string => new Date(time).toISOString().slice(0, 10)

function describeState(expiresAt: string | null, revokedAt: string | null): string {
  if (revokedAt !== null) return `revoked ${formatDate(revokedAt)}`
  if (expiresAt === null) return 'valid'
  return `${Date.parse(expiresAt) > Date.now() ? 'valid until' : 'expired'} ${formatDate(expiresAt)}`
}
