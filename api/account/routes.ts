import type { Express } from 'express'
import { addSecurity } from '#accounts/security.ts'
import { addSignIn } from '#accounts/sign-in.ts'
import { accountActionAdder, type RouteParts } from './account-routes.ts'
import { addAlerts, addMailStop } from './alert-routes.ts'
import { addConnections } from './connection-routes.ts'
import { addKeys } from './key-routes.ts'
import { addOperatorActions } from './operator-routes.ts'
import { addOAuth } from './protocol-routes.ts'
import { addShared } from './shared-routes.ts'
import { addWebhooks } from './webhook-routes.ts'
import { addWelcome } from './welcome-route.ts'

export function addAccountRoutes(app: Express, parts: RouteParts): void {
  const add = accountActionAdder(app, parts)
  addSignIn(add, parts)
  addWelcome(app, parts)
  addSecurity(add, parts)
  addKeys(add, parts)
  addShared(add, parts)
  addWebhooks(add, parts)
  addAlerts(add, parts)
  addMailStop(app, parts)
  addOperatorActions(add, parts)
  addConnections(add, parts)
  if (!parts.isOpen) addOAuth(app, parts)
}
