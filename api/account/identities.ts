import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Request } from 'express'
import type { AccountStores } from '#accounts/services.ts'
import { forwardedAddressHeader } from '#contract/forwarded-address.ts'
import { addressIdentifier, type Identify, type IdentifyAddress, identifier } from '../http/caller.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { OAuthAddresses } from './oauth-services.ts'
import { type IdentifyTools, pathTokenCheck, toolIdentifier } from './tool-caller.ts'

interface IdentitySettings {
  readonly isOpen: boolean
  readonly cookie: SessionCookie
  readonly addresses: OAuthAddresses
  readonly toolServerSecret: string | undefined
}

export function createIdentifiers(
  { keys, sessions, tokens }: Pick<AccountStores, 'keys' | 'sessions' | 'tokens'>,
  { isOpen, cookie, addresses, toolServerSecret }: IdentitySettings,
): { identify: Identify; identifyAddress: IdentifyAddress; identifyTools: IdentifyTools } {
  const identifyAddress = addressIdentifier(isOpen, addressReader(toolServerSecret))
  // Only from the tool server, which has checked their resource.
  const identify = identifier(keys, sessions, isOpen, cookie, identifyAddress, (token, request) =>
    forwardedAddress(request, toolServerSecret) === undefined ? undefined : tokens.check(token),
  )
  const checkToken = pathTokenCheck(tokens, addresses)
  const identifyUser = identifier(keys, sessions, isOpen, cookie, identifyAddress, checkToken)
  return { identify, identifyAddress, identifyTools: toolIdentifier(identifyUser, addresses) }
}

/**
 * The address forwarded by the tool server, if the header proves that it sent it; else that of the
 * connection or of trusted proxies.
 */
function addressReader(secret: string | undefined): (request: Request) => string {
  return (request) => {
    // A trusted proxy may forward something that is not an address.
    const own = isIP(request.ip ?? '') === 0 ? (request.socket.remoteAddress ?? 'unknown') : request.ip!
    return forwardedAddress(request, secret) ?? own
  }
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
