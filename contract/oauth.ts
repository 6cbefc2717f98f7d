import { pages } from './pages.ts'
import { type AccountTier, accountTiers } from './tiers.ts'

/** OAuth endpoints, relative to the service. The consent page belongs to the web app. */
export const oauthPaths = {
  authorize: pages.connect,
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/**
 * The tools for assistants: open to everybody, and for accounts, which answers 401 to callers
 * without a token.
 */
export const toolPath = '/mcp'
export const accountToolPath = '/mcp/account'

export const accessTokenPrefix = 'cst_'

/**
 * Scopes are tiers: a token sees the data of its scope while its account has that tier or a higher
 * one.
 */
export const scopes = accountTiers

export const lowerTier = (one: AccountTier, other: AccountTier): AccountTier =>
  accountTiers.indexOf(one) < accountTiers.indexOf(other) ? one : other
