import { type AccountCall, type AddAction, removal } from '#accounts/account-call.ts'
import { type AuthorizationRequest, readAuthorizationRequest, redirectUrl } from '#accounts/oauth/authorization.ts'
import { isDocumentAddress } from '#accounts/oauth/client-documents.ts'
import { isLoopbackUrl } from '#accounts/oauth/client-metadata.ts'
import { type Grant, maxGrants } from '#accounts/oauth/grants.ts'
import { OAuthError } from '#accounts/oauth/oauth-error.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { connectionBody } from '#contract/accounts/connections.ts'
import { ApiError } from '#contract/api-error.ts'
import { lowerTier } from '#contract/oauth.ts'
import { parseBody } from '#contract/parse-body.ts'
import type { RouteParts } from './account-routes.ts'
import { toolResources } from './oauth-addresses.ts'

export function addConnections(add: AddAction, { grants, clients, tokens, documents }: RouteParts): void {
  const readRequest = ({ request: { body, issuer } }: AccountCall): Promise<AuthorizationRequest> =>
    readAuthorizationRequest({ clients, documents }, parseBody(connectionBody, body).query, toolResources(issuer))

  add.signedIn(accountActions.connections, async ({ account }) => (await grants.list(account.id)).map(describeGrant))

  add.signedIn(accountActions.lookUpConnection, async ({ account }, call) => {
    const request = await readRequest(call)
    const { client, redirectUri } = request
    const refused = request.access instanceof OAuthError ? request.access : undefined
    const { code, message } = refused ?? { code: 'access_denied', message: 'the user did not allow it' }
    return [
      {
        client_name: client.name,
        client_host: isDocumentAddress(client.id) ? new URL(client.id).host : null,
        redirect_host: describeTarget(redirectUri),
        is_on_this_device: isOnDevice(redirectUri),
        tier: request.access instanceof OAuthError ? null : lowerTier(request.access.tier, account.tier),
        problem: refused?.message ?? null,
        refusal_url: redirectUrl(request, call.request.issuer, { error: code, error_description: message }),
      },
    ]
  })

  add.confirmed(accountActions.createConnection, async ({ account }, call) => {
    const request = await readRequest(call)
    const { client, redirectUri } = request
    const { tier, resource, codeChallenge: code_challenge } = requireAccess(request)
    const code = await grants.add({
      account_id: account.id,
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      resource,
      tier: lowerTier(tier, account.tier),
      may_refresh: client.mayRefresh,
      code_challenge,
    })
    if (code === undefined) {
      throw new ApiError('forbidden', `an account has at most ${maxGrants} connected apps: revoke one first`)
    }
    await clients.recordUse(client.id)
    return [{ redirect_url: redirectUrl(request, call.request.issuer, { code }) }]
  })

  add.signedIn(accountActions.removeConnection, async (user, call) => {
    const removed = await removal('connected app', accountActions.connections, grants)(user, call)
    tokens.clearCache()
    return removed
  })
}

function requireAccess({ access }: AuthorizationRequest) {
  if (!(access instanceof OAuthError)) return access
  throw new ApiError('invalid_parameter', access.message)
}

/** The scheme for an app on the device. */
const describeTarget = (redirectUri: string): string => {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

const isOnDevice = (redirectUri: string): boolean => {
  const url = new URL(redirectUri)
  return url.protocol !== 'https:' || isLoopbackUrl(url)
}

const describeGrant = ({ id, client_name, client_id, redirect_uri, ...grant }: Grant) => ({
  id,
  client_name,
  client_id,
  redirect_host: describeTarget(redirect_uri),
  ...grant,
})
