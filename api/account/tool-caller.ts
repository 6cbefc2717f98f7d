import type { Request } from 'express'
import type { Tokens } from '#accounts/oauth/tokens.ts'
import { andThen, type MaybePromise } from '#base/maybe-promise.ts'
import { ApiError } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import { accountToolPath } from '#contract/oauth.ts'
import type { CheckToken, Identify } from '../http/caller.ts'
import type { OAuthAddresses } from './oauth-addresses.ts'

export interface ToolCaller extends Caller {
  /** `WWW-Authenticate` of a refusal: where to get a token. */
  readonly challenge: string | undefined
}

export type IdentifyTools = (request: Request) => MaybePromise<ToolCaller>

const requestPath = ({ baseUrl, path }: Request): string => (baseUrl + path).replace(/\/+$/, '')

/** Tokens are valid only at the URL that they were issued for. */
export const pathTokenCheck =
  (tokens: Tokens, addresses: OAuthAddresses): CheckToken =>
  (token, request) =>
    andThen(tokens.check(token), (holder) =>
      holder?.resource === addresses.issuer(request) + requestPath(request) ? holder : undefined,
    )

/** The path for accounts requires a key or token, except under open access. */
export function toolIdentifier(identify: Identify, addresses: OAuthAddresses): IdentifyTools {
  const known = new WeakMap<Request, MaybePromise<ToolCaller>>()
  const describe = (request: Request, caller: Caller): ToolCaller => {
    const path = requestPath(request)
    const isMissing = path === accountToolPath && caller.by !== 'key' && !caller.refusal && !caller.isUnlimited
    const refusal = isMissing ? missing : caller.refusal
    if (refusal?.status !== 401) return { ...caller, refusal, challenge: undefined }
    const problem = isMissing
      ? []
      : ['error="invalid_token"', `error_description="${refusal.message.replaceAll(/["\\]/g, "'")}"`]
    const place = caller.isUnlimited ? [] : [`resource_metadata="${addresses.metadataUrl(request, path)}"`]
    return { ...caller, refusal, challenge: `Bearer ${[...problem, ...place].join(', ')}` }
  }
  // Called several times per request.
  return (request) => {
    const caller = known.get(request) ?? andThen(identify(request), (found) => describe(request, found))
    known.set(request, caller)
    return caller
  }
}

const missing = new ApiError(
  'missing_api_key',
  `${accountToolPath} is for accounts: connect the app with one, or send an API key as 'Authorization: Bearer <key>'`,
)
