import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { z } from 'zod'
import { changeSource } from '#accounts/database/account-log.ts'
import { isDocumentAddress } from '#accounts/oauth/client-documents.ts'
import { registrationSchema } from '#accounts/oauth/client-metadata.ts'
import { OAuthError } from '#accounts/oauth/oauth-error.ts'
import type { IssuedTokens } from '#accounts/oauth/tokens.ts'
import { accountToolPath, oauthPaths, scopes, toolPath } from '#contract/oauth.ts'
import type { Identify } from '../http/caller.ts'
import { refuseMethod } from '../http/guard.ts'
import { allowOrigins, preflight } from '../http/open-origins.ts'
import type { RouteParts } from './account-routes.ts'

const maxBody = '16kb'
const form = express.urlencoded({ extended: false, limit: maxBody })
/** Repeated parameters are lists, which are refused. */
const text = z.string().max(4_000).optional()
const tokenBody = z.object({
  grant_type: z.string(),
  client_id: text,
  code: text,
  code_verifier: text,
  redirect_uri: text,
  refresh_token: text,
  resource: text,
})
const revocationBody = z.object({ token: z.string().max(4_000), client_id: text })

export function addOAuth(app: Express, parts: RouteParts): void {
  const { clients, tokens, addresses, attempts, guard, identifyVisitor: byAddress } = parts
  const serve = (path: string, method: 'get' | 'post', handlers: readonly RequestHandler[]): void => {
    app
      .route(path)
      [method](allowOrigins, ...handlers, sendOAuthError)
      .options(preflight)
      .all(guard(path), refuseMethod(method === 'get' ? ['GET', 'HEAD', 'OPTIONS'] : ['POST', 'OPTIONS']))
  }

  for (const path of addresses.wellKnown('oauth-authorization-server')) {
    serve(path, 'get', [
      guard('/.well-known/oauth-authorization-server'),
      (request, response) => {
        response.set('Cache-Control', 'no-cache').json(serverMetadata(addresses.issuer(request)))
      },
    ])
  }
  for (const toolsPath of [accountToolPath, toolPath]) {
    for (const path of addresses.wellKnown('oauth-protected-resource', toolsPath)) {
      serve(path, 'get', [
        guard('/.well-known/oauth-protected-resource'),
        (request, response) => {
          response.set('Cache-Control', 'no-cache').json(resourceMetadata(addresses.issuer(request), toolsPath))
        },
      ])
    }
  }

  serve(oauthPaths.register, 'post', [
    guard(oauthPaths.register, 0.1, 'address'),
    express.json({ limit: maxBody }),
    async (request, response) => {
      attempts.countRegistration(byAddress(request).name)
      const metadata = parseOAuthBody(registrationSchema, request.body)
      const { id, name, redirectUris } = await clients.register(metadata)
      response
        .status(201)
        .set('Cache-Control', 'no-store')
        .json({
          client_id: id,
          client_id_issued_at: Math.floor(Date.now() / 1000),
          client_name: name,
          redirect_uris: redirectUris,
          grant_types: metadata.grant_types.filter((type) => grantTypes.includes(type)),
          response_types: ['code'],
          // Whatever was requested: apps on many devices keep no secrets.
          token_endpoint_auth_method: 'none',
        })
    },
  ])

  const asApp = <T>(request: Request, work: () => T): T =>
    changeSource.run({ actor: 'app', address: parts.readAddress(request) }, work)
  /** Valid codes and tokens count for their account, guesses for the network address. */
  const identifyTokenOwner: Identify = async (request) => {
    const { code, refresh_token: token } = request.body ?? {}
    const given = [code, token].find((one) => typeof one === 'string')
    const owner = given === undefined ? undefined : await tokens.findOwner(given)
    const caller = byAddress(request)
    return owner === undefined ? caller : { ...caller, name: `tokens of account ${owner}` }
  }
  serve(oauthPaths.token, 'post', [
    form,
    guard(oauthPaths.token, 1, identifyTokenOwner),
    async (request, response) => {
      const body = parseOAuthBody(tokenBody, request.body)
      const client = await requireClient(body.client_id, request)
      const issued = await asApp(request, () => issue(body, client))
      response.set('Cache-Control', 'no-store').json(issued)
    },
  ])
  const issue = async (body: z.output<typeof tokenBody>, client_id: string): Promise<IssuedTokens> => {
    const claims = { client_id, resource: body.resource }
    if (body.grant_type === 'authorization_code') {
      const { code, code_verifier: verifier, redirect_uri: redirectUri } = body
      if (code === undefined || verifier === undefined)
        throw new OAuthError('invalid_request', 'code and code_verifier are needed')
      return tokens.redeem(code, verifier, redirectUri, claims)
    }
    if (body.grant_type !== 'refresh_token')
      throw new OAuthError('unsupported_grant_type', `grant_type must be ${grantTypes.join(' or ')}`)
    if (body.refresh_token === undefined) throw new OAuthError('invalid_request', 'refresh_token is needed')
    return tokens.refresh(body.refresh_token, claims)
  }
  /** Clients that get `invalid_client` register again. */
  const requireClient = async (id: string | undefined, request: Request): Promise<string> => {
    if (request.headers.authorization !== undefined)
      throw new OAuthError('invalid_client', 'clients have no secrets here: send client_id in the body')
    if (id === undefined) throw new OAuthError('invalid_request', 'client_id is needed')
    if (isDocumentAddress(id) || (await clients.find(id))) return id
    throw new OAuthError('invalid_client', 'this client is unknown, or no longer known: register again')
  }

  serve(oauthPaths.revoke, 'post', [
    form,
    guard(oauthPaths.revoke, 1, byAddress),
    async (request, response) => {
      const { token, client_id } = parseOAuthBody(revocationBody, request.body)
      await asApp(request, () => tokens.revoke(token, client_id))
      response.set('Cache-Control', 'no-store').status(200).end()
    },
  ])
}

const grantTypes: readonly string[] = ['authorization_code', 'refresh_token']

/** RFC 8414. */
const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + oauthPaths.authorize,
  token_endpoint: issuer + oauthPaths.token,
  registration_endpoint: issuer + oauthPaths.register,
  revocation_endpoint: issuer + oauthPaths.revoke,
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [issuer + accountToolPath, issuer + toolPath],
  service_documentation: `${issuer}/docs`,
})

/** RFC 9728. */
const resourceMetadata = (issuer: string, path: string) => ({
  resource: issuer + path,
  authorization_servers: [issuer],
  scopes_supported: scopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Coinstrata, tools for AI assistants',
})

function parseOAuthBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  const [field = 'body'] = issue?.path ?? []
  const code = field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  const isRegistration = Object.is(schema, registrationSchema)
  throw new OAuthError(
    isRegistration ? code : 'invalid_request',
    `${issue?.path.join('.') || 'body'}: ${issue?.message}`,
  )
}

/** Other errors are sent as by the API. */
const sendOAuthError: ErrorRequestHandler = (error: unknown, request, response: Response, next) => {
  if (!(error instanceof OAuthError)) return next(error)
  // RFC 6749 5.2.
  if (request.headers.authorization !== undefined) response.set('WWW-Authenticate', 'Basic')
  response.set('Cache-Control', 'no-store').status(error.status)
  response.json({ error: error.code, error_description: error.message })
}
