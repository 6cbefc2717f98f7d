import { type AddAction, removal } from '#accounts/account-call.ts'
import { type AuthorizationRequest, redirectUrl } from '#accounts/oauth/authorization.ts'
import { isDocumentAddress } from '#accounts/oauth/client-documents.ts'
import { isLoopbackUrl } from '#accounts/oauth/client-metadata.ts'
import { type Grant, maxGrants } from '#accounts/oauth/grants.ts'
import { OAuthError } from '#accounts/oauth/oauth-error.ts'
import type { AccountServices } from '#accounts/services.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { connectionBody } from '#contract/accounts/connections.ts'
import { ApiError } from '#contract/api-error.ts'
import { lowerTier } from '#contract/oauth.ts'
import { parseBody } from '#contract/parse-body.ts'
import { type OAuthServices, toolResources } from './oauth-services.ts'

export function addConnections(add: AddAction, services: AccountServices, oauth: OAuthServices): void {
  const { grants, clients, tokens } = services
  const { requests } = oauth

  add.signedIn(accountActions.connections, async ({ account }) => (await grants.list(account.id)).map(describeGrant))

  add.signedIn(accountActions.lookUpConnection, async ({ account }, call) => {
    const { query } = parseBody(connectionBody, call.body)
    const request = await requests.read(query, toolResources(call.request.issuer))
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
    const { query } = parseBody(connectionBody, call.body)
    const request = await requests.read(query, toolResources(call.request.issuer))
    const { client, redirectUri } = request
    const { tier, resource, codeChallenge } = requireAccess(request)
    const code = await grants.add({
      account_id: account.id,
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      resource,
      tier: lowerTier(tier, account.tier),
      may_refresh: client.mayRefresh,
      code_challenge: codeChallenge,
    })
    if (code === undefined) {
      throw new ApiError('forbidden', `an account has at most ${maxGrants} connected apps: revoke one first`)
    }
    await clients.recordUse(client.id)
    return [{ redirect_url: redirectUrl(request, call.request.issuer, { code }) }]
  })

  const removeConnection = async (accountId: number, id: string): Promise<boolean> => {
    const isRevoked = await grants.revoke(accountId, id)
    if (isRevoked) tokens.clearCache()
    return isRevoked
  }
  add.signedIn(accountActions.removeConnection, removal('connected app', accountActions.connections, removeConnection))
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
