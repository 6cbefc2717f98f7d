import { type AddAction, formatOptionalTime, formatTime } from '#accounts/account-call.ts'
import { type AuthorizationRequest, grantedTier, redirectUrl } from '#accounts/oauth/authorization.ts'
import { isDocumentAddress } from '#accounts/oauth/client-documents.ts'
import { isLoopbackUrl } from '#accounts/oauth/client-metadata.ts'
import { type Grant, maxGrants } from '#accounts/oauth/grants.ts'
import { OAuthError } from '#accounts/oauth/oauth-error.ts'
import type { AccountServices } from '#accounts/services.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { connectionBody } from '#contract/accounts/connections.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import type { OAuthServices } from './oauth-services.ts'
import { toolResources } from './oauth-services.ts'

export function addConnections(add: AddAction, services: AccountServices, oauth: OAuthServices): void {
  const { grants, clients, tokens } = services
  const { requests } = oauth

  add(accountActions.connections, async (call) =>
    (await grants.list((await call.signedIn()).account.id)).map(describeGrant),
  )

  add(accountActions.lookUpConnection, async (call) => {
    const { account } = await call.signedIn()
    const { query } = parseBody(connectionBody, call.body)
    const request = await requests.read(query, toolResources(call.request.issuer))
    const { client, redirectUri } = request
    const refused = request.access instanceof OAuthError ? request.access : undefined
    const refusal = refused ?? { code: 'access_denied', message: 'the user did not allow it' }
    return [
      {
        client_name: client.name,
        client_host: isDocumentAddress(client.id) ? new URL(client.id).host : null,
        redirect_host: describeTarget(redirectUri),
        is_on_this_device: isOnDevice(redirectUri),
        tier: request.access instanceof OAuthError ? null : grantedTier(request.access, account.tier),
        problem: refused?.message ?? null,
        refusal_url: redirectUrl(request, call.request.issuer, {
          error: refusal.code,
          error_description: refusal.message,
        }),
      },
    ]
  })

  add(accountActions.createConnection, async (call) => {
    const { account } = await call.confirmed()
    const { query } = parseBody(connectionBody, call.body)
    const request = await requests.read(query, toolResources(call.request.issuer))
    const { client, redirectUri } = request
    const { tier, resource, codeChallenge } = requireAccess(request)
    const code = await grants.add({
      accountId: account.id,
      clientId: client.id,
      clientName: client.name,
      redirectUri,
      resource,
      tier: grantedTier({ tier, resource, codeChallenge }, account.tier),
      mayRefresh: client.mayRefresh,
      codeChallenge,
    })
    if (code === undefined) {
      throw new ApiError('forbidden', `an account has at most ${maxGrants} connected apps: revoke one first`)
    }
    await clients.recordUse(client.id)
    return [{ redirect_url: redirectUrl(request, call.request.issuer, { code }) }]
  })

  add(accountActions.removeConnection, async (call) => {
    const { account } = await call.signedIn()
    const id = call.parameter('id')
    if (await grants.revoke(id, account.id)) {
      tokens.clearCache()
      return [{ id }]
    }
    throw new ApiError('not_found', 'this account has no such connected app: /v1/connections lists them')
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

const describeGrant = ({ id, client_name, client_id, redirect_uri, tier, ...grant }: Grant) => ({
  id,
  client_name,
  client_id,
  redirect_host: describeTarget(redirect_uri),
  tier,
  created_at: formatTime(grant.created_at),
  last_used_at: formatOptionalTime(grant.last_used_at),
  expires_at: formatTime(grant.expires_at),
})
