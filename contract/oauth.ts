import { pages } from './pages.ts'
import { type AccountTier, accountTiers } from './tiers.ts'

/** Where OAuth is spoken, below the address of the service. The page of consent is one of the web app. */
export const oauthPaths = {
  authorize: pages.connect,
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** Where the tools for assistants are: open to everybody, and for accounts, which asks who does not tell whose it is. */
export const toolPath = '/mcp'
export const accountToolPath = '/mcp/account'

/** What an access token begins with. */
export const accessTokenPrefix = 'cst_'

/** A scope is a tier: what is seen with a token, as long as its account has that tier or a higher one. */
export const scopes = accountTiers

/** The lower of two tiers. */
export const lowerTier = (one: AccountTier, other: AccountTier): AccountTier =>
  accountTiers.indexOf(one) < accountTiers.indexOf(other) ? one : other
