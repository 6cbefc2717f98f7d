import { alertActions } from './actions/alerts.ts'
import { operatorActions } from './actions/operator.ts'
import { programActions } from './actions/programs.ts'
import { securityActions } from './actions/security.ts'
import { sharingActions } from './actions/sharing.ts'
import { signInActions } from './actions/sign-in.ts'

/**
 * Most need the session cookie. `limitShare` is a fraction of the requests per minute; `countedBy`:
 * network address or caller.
 */
export const accountActions = {
  ...signInActions,
  ...securityActions,
  ...programActions,
  ...sharingActions,
  ...alertActions,
  ...operatorActions,
} as const

export type AccountAction = (typeof accountActions)[keyof typeof accountActions]
