import { type Express, json, type Request, type RequestHandler, type Response } from 'express'
import type { z } from 'zod'
import { AccountCall, type AccountRequest, type AddAction, actionAdder } from '#accounts/account-call.ts'
import { changeSource } from '#accounts/database/account-log.ts'
import type { AccountServices } from '#accounts/services.ts'
import type { WebhookDelivery } from '#accounts/webhooks/webhook-delivery.ts'
import type { AlertService } from '#alerts/alert-service.ts'
import { limitJson } from '#base/json-limits.ts'
import { socketUrl } from '#base/socket-address.ts'
import type { ownMetricBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { pageQuery } from '#contract/parameters.ts'
import type { Catalogue } from '#query/catalogue.ts'
import type { Generations } from '#query/generations.ts'
import { parsePart, readQuery } from '#query/parse-request.ts'
import { type IdentifyAddress, readKey } from '../http/caller.ts'
import { requireCall } from '../http/calls.ts'
import { type Guard, refuseOtherSites, requireJson } from '../http/guard.ts'
import { isOperator, type OperatorAccess } from '../http/operator.ts'
import { pathParameters } from '../http/serve-data.ts'
import type { createIdentities } from './identities.ts'
import { loopbackHost } from './oauth-addresses.ts'

export interface RouteParts extends AccountServices, OperatorAccess, ReturnType<typeof createIdentities> {
  /** Undefined if webhooks are off. */
  readonly sending: WebhookDelivery | undefined
  readonly alertService: AlertService
  readonly generations: Pick<Generations, 'dataDir' | 'current'>
  /** Called when the operator allows a second scan of all blocks. */
  readonly onRescanAllowed: () => void
  /** Checks and stores a definition of the operator, and returns its file's name. */
  readonly saveMetric: ((own: z.output<typeof ownMetricBody>, catalogue: Catalogue) => Promise<string>) | undefined
  /** Throws `invalid_parameter`. */
  readonly checkDataRequest: (target: string) => void
  readonly guard: Guard
  readonly identifyVisitor: IdentifyAddress
}

export function accountCallReader(parts: RouteParts): (request: Request, response: Response) => AccountCall {
  const { cookie, addresses, basePath, publicUrl } = parts
  return (request, response) => {
    const { protocol, headers, body, socket } = request
    const { host = '' } = headers
    const values: AccountRequest = {
      caller: requireCall(request).caller,
      parameters: pathParameters(request),
      body,
      token: cookie.read(request),
      hasKey: readKey(request) !== undefined,
      userAgent: headers['user-agent'],
      // Passkeys of any host that a request names could be used there.
      serviceOrigin: publicUrl ?? (loopbackHost.test(host) ? `${protocol}://${host}` : undefined),
      serviceUrl: publicUrl ?? `${socketUrl(socket)}${basePath}`,
      issuer: addresses.issuer(request),
      isOperator: () => isOperator(request, parts),
      setToken: (token) => {
        if (token === undefined) cookie.clear(request, response)
        else cookie.write(request, response, token)
      },
    }
    return new AccountCall(values, parts)
  }
}

export function accountActionAdder(app: Express, parts: RouteParts): AddAction {
  const readCall = accountCallReader(parts)
  const ownSiteOnly = refuseOtherSites(parts.publicUrl)
  return actionAdder((action, handle, meta) => {
    const { method, path, query, limitShare, countedBy, status, body, bodySize } = action
    const handlers: RequestHandler[] = [
      parts.guard(`${method.toUpperCase()} ${path}`, limitShare, countedBy),
      ownSiteOnly,
      ...(body.type === 'undefined' ? [] : [requireJson, json({ limit: bodySize, strict: false, verify: limitJson })]),
    ]
    app[method](path.replaceAll(/\{(\w+)\}/g, ':$1'), ...handlers, async (request: Request, response: Response) => {
      const call = readCall(request, response)
      if (!action.allowsOpen && call.request.caller.isUnlimited) throw new ApiError('forbidden', openToEveryone)
      const page = query === pageQuery ? parsePart(pageQuery, readQuery(request.originalUrl)) : undefined
      const source = { actor: 'user', address: parts.readAddress(request) } as const
      const all = await changeSource.run(source, async () => handle(call))
      const { data, ...next } = page && Array.isArray(all) ? slicePage(all, page) : { data: all }
      response
        .set('Cache-Control', 'no-store')
        .status(status)
        .json({
          success: true,
          data,
          count: Array.isArray(data) ? data.length : 0,
          timestamp: new Date().toISOString(),
          ...((page || meta) && { meta: { ...meta?.(call), ...next } }),
        })
    })
  })
}

const openToEveryone = 'this service is open to everyone (ACCESS=open) and has no accounts to sign in to'

const slicePage = (rows: readonly unknown[], { limit = rows.length, offset }: z.output<typeof pageQuery>) => ({
  data: rows.slice(offset, offset + limit),
  ...(rows.length > offset + limit && { next_offset: offset + limit }),
})
