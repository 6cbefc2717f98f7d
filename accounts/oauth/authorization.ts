import { invalidParameter } from '#contract/api-error.ts'
import { lowerTier, scopes } from '#contract/oauth.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { type ClientDocuments, isDocumentAddress } from './client-documents.ts'
import { type Client, hasRedirect } from './client-metadata.ts'
import type { Clients } from './clients.ts'
import { OAuthError } from './oauth-error.ts'

/** What an app asks of a user, by the address that it sent the browser to. */
export interface AuthorizationRequest {
  readonly client: Client
  /** One of the client's own. */
  readonly redirectUri: string
  readonly state: string | null
  /** What is asked for, or why that cannot be given. */
  readonly access: RequestedAccess | OAuthError
}

interface RequestedAccess {
  /** The highest tier that the app wants. */
  readonly tier: AccountTier
  readonly resource: string
  readonly codeChallenge: string
}

const challengePattern = /^[\w-]{43}$/

/** Reads the requests of apps. */
export class AuthorizationRequests {
  readonly #clients: Clients
  readonly #documents: ClientDocuments

  constructor(clients: Clients, documents: ClientDocuments) {
    this.#clients = clients
    this.#documents = documents
  }

  /**
   * The request of a query string, for one of `resources`; the first one where it names none. Throws `invalid_parameter` where it is not certain to whom the browser may be sent back:
   * an unknown client, or an address that is none of its own.
   */
  async read(query: string, resources: readonly string[]): Promise<AuthorizationRequest> {
    const parameters = new URLSearchParams(query)
    const only = (name: string): string | null => {
      const values = parameters.getAll(name)
      if (values.length > 1) throw invalidParameter(name, 'is given more than once')
      return values[0] ?? null
    }
    const client = await this.#findClient(only('client_id'))
    const given = only('redirect_uri')
    const redirectUri = given ?? (client.redirectUris.length === 1 ? client.redirectUris[0]! : undefined)
    if (redirectUri === undefined) throw invalidParameter('redirect_uri', 'is missing, and the app has several')
    if (!hasRedirect(client, redirectUri))
      throw invalidParameter('redirect_uri', `is not registered by the app`, redirectUri)
    return { client, redirectUri, state: only('state'), access: readAccess(only, resources) }
  }

  async #findClient(id: string | null): Promise<Client> {
    if (id === null) throw invalidParameter('client_id', 'is missing')
    if (!isDocumentAddress(id)) {
      const client = await this.#clients.find(id)
      if (client) return client
      throw invalidParameter(
        'client_id',
        'is unknown, or no longer known: remove the connection in the app and add it again',
      )
    }
    try {
      return await this.#documents.find(id)
    } catch (error) {
      if (error instanceof OAuthError) throw invalidParameter('client_id', error.message.replace(/^client_id /, ''), id)
      throw error
    }
  }
}

function readAccess(only: (name: string) => string | null, resources: readonly string[]): RequestedAccess | OAuthError {
  const challenge = only('code_challenge')
  const given = only('resource') ?? resources[0]!
  const resource = resources.find((one) => new URL(one).href === URL.parse(given)?.href)
  if (only('response_type') !== 'code') {
    return new OAuthError('unsupported_response_type', 'response_type must be code')
  }
  if (only('code_challenge_method') !== 'S256' || challenge === null || !challengePattern.test(challenge)) {
    return new OAuthError('invalid_request', 'code_challenge is needed, by code_challenge_method S256')
  }
  if (resource === undefined) {
    return new OAuthError('invalid_target', `resource must be ${resources.join(' or ')}`)
  }
  const tier = highestTier(only('scope'))
  if (tier === undefined) return new OAuthError('invalid_scope', `scope must name one of ${scopes.join(', ')}`)
  return { tier, resource, codeChallenge: challenge }
}

/** Of those that a scope names beside others; all where there is none. */
function highestTier(scope: string | null): AccountTier | undefined {
  const named = (scope ?? '').split(' ').filter((word) => word !== '')
  return named.length === 0 ? accountTiers.at(-1) : accountTiers.findLast((tier) => named.includes(tier))
}

/** What a user allows of it whose account has a tier. */
export const grantedTier = ({ tier }: RequestedAccess, accountTier: AccountTier): AccountTier =>
  lowerTier(tier, accountTier)

/** Where the browser goes with the answer; `issuer` tells the app whose it is (RFC 9207). */
export function redirectUrl(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  const all = { ...answer, ...(state !== null && { state }), iss: issuer }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url.href
}
