import type { Express } from 'express'
import { addSecurity } from '#accounts/security.ts'
import type { AccountServices } from '#accounts/services.ts'
import { addSignIn } from '#accounts/sign-in.ts'
import type { AlertService } from '#alerts/alert-service.ts'
import type { IdentifyAddress } from '../http/caller.ts'
import type { Guard } from '../http/guard.ts'
import type { ServiceAddress } from '../http/service-address.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import { accountActionAdder, accountCallReader } from './account-routes.ts'
import { addAlerts } from './alert-routes.ts'
import { addConnections } from './connection-routes.ts'
import { addKeys } from './key-routes.ts'
import type { OAuthServices } from './oauth-services.ts'
import { addOAuth } from './protocol-routes.ts'
import { addShared } from './shared-routes.ts'
import { addWebhooks, type WebhookSending } from './webhook-routes.ts'
import { addWelcome } from './welcome-route.ts'

export interface AccountRouteParts extends AccountServices, ServiceAddress {
  readonly cookie: SessionCookie
  readonly oauth: OAuthServices
  readonly sending: WebhookSending | undefined
  readonly alertService: AlertService
  readonly isOpen: boolean
}

export function addAccountRoutes(
  app: Express,
  parts: AccountRouteParts & { readonly guard: Guard; readonly identifyVisitor: IdentifyAddress },
): void {
  const { oauth, guard, basePath, identifyVisitor } = parts
  const routeParts = { ...parts, services: parts, addresses: oauth.addresses }
  const add = accountActionAdder(app, routeParts)
  addSignIn(add, parts)
  addWelcome(app, parts, accountCallReader(routeParts), guard, basePath)
  addSecurity(add, parts)
  addKeys(add, parts)
  addShared(add, parts)
  addWebhooks(add, parts, parts.sending)
  addAlerts(add, parts, parts.alertService)
  addConnections(add, parts, oauth)
  if (!parts.isOpen) addOAuth(app, { ...parts, ...oauth, byAddress: identifyVisitor })
}
