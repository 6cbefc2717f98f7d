import type { Place } from '../place.ts'
import type { TargetPolicy } from '../webhooks/target.ts'
import { Addresses } from './addresses.ts'
import { AuthorizationRequests } from './authorization.ts'
import { ClientDocuments } from './client-documents.ts'
import type { Clients } from './clients.ts'

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
