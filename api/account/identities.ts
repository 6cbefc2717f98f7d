import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Request } from 'express'
import { ClientDocuments } from '#accounts/oauth/client-documents.ts'
import type { AccountStores } from '#accounts/services.ts'
import { publicTargets } from '#accounts/webhooks/target.ts'
import { forwardedAddressHeader } from '#contract/forwarded-address.ts'
import { addressIdentifier, identifier } from '../http/caller.ts'
import type { ServiceAddress } from '../http/service-address.ts'
import { sessionCookie } from '../http/session-cookie.ts'
import { oauthAddresses } from './oauth-addresses.ts'
import { pathTokenCheck, toolIdentifier } from './tool-caller.ts'

export function createIdentities(
  isOpen: boolean,
  toolServerSecret: string | undefined,
  address: ServiceAddress,
  { keys, sessions, tokens }: Pick<AccountStores, 'keys' | 'sessions' | 'tokens'>,
) {
  const cookie = sessionCookie(address.basePath)
  const addresses = oauthAddresses(address)
  const readAddress = (request: Request): string => readCallerAddress(request, toolServerSecret)
  const identifyAddress = addressIdentifier(isOpen, readAddress)
  const parts = { keys, sessions, isOpen, cookie, byAddress: identifyAddress, readAddress }
  // Only from the tool server, which has checked their resource.
  const identify = identifier(parts, (token, request) =>
    forwardedAddress(request, toolServerSecret) === undefined ? undefined : tokens.check(token),
  )
  const identifyTools = toolIdentifier(identifier(parts, pathTokenCheck(tokens, addresses)), addresses)
  const documents = new ClientDocuments(publicTargets)
  return { isOpen, cookie, addresses, documents, identify, readAddress, identifyAddress, identifyTools }
}

/** Address forwarded by the tool server, if proven; else of the connection or trusted proxies. */
function readCallerAddress(request: Request, secret: string | undefined): string {
  // A trusted proxy may forward something that is not an address.
  const own = isIP(request.ip ?? '') === 0 ? (request.socket.remoteAddress ?? 'unknown') : request.ip!
  return forwardedAddress(request, secret) ?? own
}

/** Undefined without proof that the tool server sent it. */
function forwardedAddress({ headers }: Request, secret: string | undefined): string | undefined {
  const given = headers[forwardedAddressHeader]
  if (secret === undefined || typeof given !== 'string') return undefined
  const [proof = '', address = ''] = given.split(' ')
  return equalsSecret(proof, secret) && isIP(address) !== 0 ? address : undefined
}

function equalsSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}
