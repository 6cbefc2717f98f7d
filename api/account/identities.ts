import type { AccountStores } from '#accounts/services.ts'
import { addressIdentifier, type Identify, type IdentifyAddress, identifier } from '../http/caller.ts'
import { addressReader, forwardedAddress } from '../http/forwarded-address.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { OAuthAddresses } from './oauth-addresses.ts'
import { type IdentifyTools, tokensOfPath, toolIdentifier } from './tool-caller.ts'

interface IdentitySettings {
  readonly isOpen: boolean
  readonly cookie: SessionCookie
  readonly addresses: OAuthAddresses
  readonly toolServerSecret: string | undefined
}

/** How callers are told apart: by all that they send, by the network address alone, and where the tools are. */
export function identitiesOf(
  { keys, sessions, tokens }: Pick<AccountStores, 'keys' | 'sessions' | 'tokens'>,
  { isOpen, cookie, addresses, toolServerSecret }: IdentitySettings,
): { identify: Identify; identifyAddress: IdentifyAddress; identifyTools: IdentifyTools } {
  const identifyAddress = addressIdentifier(isOpen, addressReader(toolServerSecret))
  // Tokens are for the tools, which have checked for which address before they ask the API.
  const identify = identifier(keys, sessions, isOpen, cookie, identifyAddress, (token, request) =>
    forwardedAddress(request, toolServerSecret) === undefined ? undefined : tokens.check(token),
  )
  const ofTools = identifier(keys, sessions, isOpen, cookie, identifyAddress, tokensOfPath(tokens, addresses))
  return { identify, identifyAddress, identifyTools: toolIdentifier(ofTools, addresses) }
}
