import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { millisecondsPerDay } from '#root/days.ts'
import { CoinstrataError } from '#root/errors.ts'
import { textTable } from '#root/text-table.ts'
import { openServices } from './services.ts'

/** What `coinstrata accounts …` and `coinstrata keys …` do; each returns the text to print. */
const withServices = async <T>(
  dataDir: string,
  work: (services: ReturnType<typeof openServices>) => T | Promise<T>,
): Promise<T> => {
  const services = openServices(dataDir)
  try {
    return await work(services)
  } finally {
    services.close()
  }
}

/** Throws `invalid_argument` for an address that has an account. */
export const createAccount = (dataDir: string, email: string, tier: string, password?: string): Promise<string> =>
  withServices(dataDir, async ({ accounts }) => {
    const account = await accounts.create(email, tierOf(tier), password)
    if (account) return `account ${account.email} has tier ${account.tier}\n`
    throw new CoinstrataError('invalid_argument', `'${email}' has an account already`, {
      cure: '"coinstrata accounts set-tier" changes its tier',
    })
  })

export const listAccounts = (dataDir: string): Promise<string> =>
  withServices(dataDir, ({ accounts }) => {
    const rows = accounts.list().map(({ email, tier, created_at }) => [email, tier, dateOf(created_at)])
    return textTable(['account', 'tier', 'since'], rows)
  })

export const setTier = (dataDir: string, email: string, tier: string): Promise<string> =>
  withServices(dataDir, ({ accounts }) => {
    const account = accounts.setTier(email, tierOf(tier))
    return `account ${account.email}, which exists since ${dateOf(account.created_at)}, has tier ${account.tier} now\n`
  })

/** Throws `invalid_argument` for an unknown address. */
export const createKey = (dataDir: string, email: string, name: string, expiresInDays?: number): Promise<string> =>
  withServices(dataDir, ({ accounts, keys }) => {
    const account = accounts.require(email)
    const { key, record } = keys.create(account.id, name, expiryAfter(expiresInDays))
    const warning =
      account.tier === 'free' ? `It opens nothing while ${account.email} has tier free: see accounts set-tier.\n` : ''
    const until = record.expires_at === null ? 'until it is revoked' : `until ${dateOf(record.expires_at)}`
    return `${key}\nThis key of ${account.email} holds ${until}. It is shown only now: keep it safe.\n${warning}`
  })

export const listKeys = (dataDir: string, email: string): Promise<string> =>
  withServices(dataDir, ({ accounts, keys }) => {
    const rows = keys
      .list(accounts.require(email).id)
      .map(({ id, name, created_at, last_used_at, expires_at, revoked_at }) => [
        id,
        name,
        dateOf(created_at),
        last_used_at === null ? 'never' : dateOf(last_used_at),
        stateOf(expires_at, revoked_at),
      ])
    return textTable(['key', 'name', 'created', 'last used', 'state'], rows)
  })

/** Throws `invalid_argument` where there is no such key in force. */
export const revokeKey = (dataDir: string, id: string): Promise<string> =>
  withServices(dataDir, ({ keys }) => {
    const key = keys.revoke(id)
    if (key) return `key ${key.id} (${key.name}) is revoked\n`
    throw new CoinstrataError('invalid_argument', `there is no key '${id}' in force`, {
      cure: '"coinstrata keys list" shows how the keys of an account begin, such as cs_0123456789ab',
    })
  })

/** A new enterprise key to try the service with; for made-up data only. */
export const createTrialKey = (dataDir: string): Promise<string> =>
  withServices(dataDir, async ({ accounts, keys }) => {
    const account = accounts.find(trialEmail) ?? (await accounts.create(trialEmail, 'enterprise'))
    if (!account) throw new Error(`account ${trialEmail} cannot be made`)
    return keys.create(account.id, 'made by start', expiryAfter(trialDays)).key
  })

const trialEmail = 'trial@localhost.localdomain'
const trialDays = 30

function expiryAfter(days: number | undefined): number | undefined {
  return days === undefined ? undefined : Date.now() + days * millisecondsPerDay
}

function tierOf(text: string): AccountTier {
  const tier = accountTiers.find((known) => known === text)
  if (tier) return tier
  throw new CoinstrataError('invalid_argument', `'${text}' is no tier`, { cure: `use ${accountTiers.join(', ')}` })
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

function stateOf(expiresAt: number | null, revokedAt: number | null): string {
  if (revokedAt !== null) return `revoked ${dateOf(revokedAt)}`
  if (expiresAt === null) return 'in force'
  return `${expiresAt > Date.now() ? 'in force until' : 'expired'} ${dateOf(expiresAt)}`
}
