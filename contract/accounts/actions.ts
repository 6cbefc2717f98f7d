import { programActions } from './actions/programs.ts'
import { securityActions } from './actions/security.ts'
import { sharingActions } from './actions/sharing.ts'
import { signInActions } from './actions/sign-in.ts'

/**
 * Requests of people about their account; `limitShare` is how much of the usual requests a minute they may make, and
 * `countedBy` whether the network address counts or the caller. Most need the session cookie.
 */
export const accountActions = {
  ...signInActions,
  ...securityActions,
  ...programActions,
  ...sharingActions,
} as const

export type AccountAction = (typeof accountActions)[keyof typeof accountActions]
