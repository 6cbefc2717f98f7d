import { pages } from './pages.ts'
import { type AccountTier, accountTiers } from './tiers.ts'

/** Relative to the service. The consent page belongs to the web app. */
export const oauthPaths = {
  authorize: pages.connect,
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** Open to everybody, and for accounts: 401 without a token. */
export const toolPath = '/mcp'
export const accountToolPath = '/mcp/account'

export const accessTokenPrefix = 'cst_'

/** Scopes are tiers: a token never sees more than the tier of its account. */
export const scopes = accountTiers

export const lowerTier = (one: AccountTier, other: AccountTier): AccountTier =>
  accountTiers.indexOf(one) < accountTiers.indexOf(other) ? one : other
