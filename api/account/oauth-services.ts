import { AuthorizationRequests } from '#accounts/oauth/authorization.ts'
import { ClientDocuments } from '#accounts/oauth/client-documents.ts'
import type { Clients } from '#accounts/oauth/clients.ts'
import type { TargetPolicy } from '#accounts/webhooks/target.ts'
import type { ServiceAddress } from '../http/service-address.ts'
import { OAuthAddresses } from './oauth-addresses.ts'

/** What OAuth needs beside accounts. */
export interface OAuthServices {
  readonly addresses: OAuthAddresses
  readonly requests: AuthorizationRequests
}

/** `targets` is where documents of clients may lie. */
export const createOAuthServices = (place: ServiceAddress, clients: Clients, targets: TargetPolicy): OAuthServices => ({
  addresses: new OAuthAddresses(place),
  requests: new AuthorizationRequests(clients, new ClientDocuments(targets)),
})
