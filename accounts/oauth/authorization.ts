import { invalidParameter } from '#contract/api-error.ts'
import { scopes } from '#contract/oauth.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { type ClientDocuments, isDocumentAddress } from './client-documents.ts'
import { type Client, hasRedirect } from './client-metadata.ts'
import type { Clients } from './clients.ts'
import { OAuthError } from './oauth-error.ts'

/** Query of the URL to which an app sent the browser. */
export interface AuthorizationRequest {
  readonly client: Client
  /** Registered by the client. */
  readonly redirectUri: string
  readonly state: string | null
  readonly access: RequestedAccess | OAuthError
}

interface RequestedAccess {
  readonly tier: AccountTier
  readonly resource: string
  readonly codeChallenge: string
}

const challengePattern = /^[\w-]{43}$/

export interface ClientSources {
  readonly clients: Clients
  readonly documents: ClientDocuments
}

/**
 * The default resource is the first of `resources`. Throws `invalid_parameter` if the browser must
 * not be redirected: the client is unknown, or did not register the redirect URI.
 */
export async function readAuthorizationRequest(
  sources: ClientSources,
  query: string,
  resources: readonly string[],
): Promise<AuthorizationRequest> {
  const parameters = new URLSearchParams(query)
  const only = (name: string): string | null => {
    const values = parameters.getAll(name)
    if (values.length > 1) throw invalidParameter(name, 'is given more than once')
    return values[0] ?? null
  }
  const client = await findClient(sources, only('client_id'))
  const given = only('redirect_uri')
  const redirectUri = given ?? (client.redirectUris.length === 1 ? client.redirectUris[0]! : undefined)
  if (redirectUri === undefined) throw invalidParameter('redirect_uri', 'is missing, and the app has several')
  if (!hasRedirect(client, redirectUri))
    throw invalidParameter('redirect_uri', `is not registered by the app`, redirectUri)
  return { client, redirectUri, state: only('state'), access: readAccess(only, resources) }
}

async function findClient({ clients, documents }: ClientSources, id: string | null): Promise<Client> {
  if (id === null) throw invalidParameter('client_id', 'is missing')
  if (!isDocumentAddress(id)) {
    const client = await clients.find(id)
    if (client) return client
    const problem = 'is unknown, or no longer known: remove the connection in the app and add it again'
    throw invalidParameter('client_id', problem)
  }
  try {
    return await documents.find(id)
  } catch (error) {
    if (error instanceof OAuthError) throw invalidParameter('client_id', error.message.replace(/^client_id /, ''), id)
    throw error
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

/** Without a scope, the highest tier. Ignores unknown words. */
function highestTier(scope: string | null): AccountTier | undefined {
  const named = (scope ?? '').split(' ').filter((word) => word !== '')
  return named.length === 0 ? accountTiers.at(-1) : accountTiers.findLast((tier) => named.includes(tier))
}

/** Adds the response parameters and the issuer (RFC 9207). */
export function redirectUrl(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  response: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  const all = { ...response, ...(state !== null && { state }), iss: issuer }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url.href
}
