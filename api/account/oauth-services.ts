import { Addresses } from '#accounts/oauth/addresses.ts'
import { AuthorizationRequests } from '#accounts/oauth/authorization.ts'
import { ClientDocuments } from '#accounts/oauth/client-documents.ts'
import type { Clients } from '#accounts/oauth/clients.ts'
import type { TargetPolicy } from '#accounts/webhooks/target.ts'
import type { Place } from '../place.ts'

/** What OAuth needs beside accounts. */
export interface OAuthServices {
  readonly addresses: Addresses
  readonly requests: AuthorizationRequests
}

/** `targets` is where documents of clients may lie. */
export const openOAuth = (place: Place, clients: Clients, targets: TargetPolicy): OAuthServices => ({
  addresses: new Addresses(place),
  requests: new AuthorizationRequests(clients, new ClientDocuments(targets)),
})
