import { confirmBody, lookUpLinkBody, passkeySignInBody, signInBody, signUpBody, takeLinkBody } from '../bodies.ts'
import {
  accessRow,
  accountRow,
  endedRow,
  linkRow,
  linkTakenRow,
  passkeyRequestRow,
  sessionRow,
  signedUpRow,
} from '../rows.ts'
import { get, guessable, idPath, list, remove } from './defaults.ts'

export const signInActions = {
  access: {
    ...get,
    allowsOpen: true,
    path: '/v1/access',
    summary: 'What the caller may see, and how people get accounts here; needs no account',
    row: accessRow,
  },
  signUp: {
    ...guessable,
    path: '/v1/accounts',
    summary:
      'Create an account of tier free (SIGN_UP=open). If the service sends mail, request a link instead; the answer does not reveal whether the address has an account',
    body: signUpBody,
    row: signedUpRow,
    status: 202,
  },
  signIn: {
    ...guessable,
    path: '/v1/sessions',
    summary: 'Sign in; the session cookie is valid for 30 days',
    body: signInBody,
    row: accountRow,
    status: 201,
  },
  passkeyChallenge: {
    ...guessable,
    path: '/v1/passkeys/challenge',
    summary: 'Create a challenge that a passkey signs to sign in or to confirm; valid for five minutes',
    row: passkeyRequestRow,
    status: 201,
  },
  passkeySignIn: {
    ...guessable,
    path: '/v1/sessions/passkey',
    summary: 'Sign in with a passkey',
    body: passkeySignInBody,
    row: accountRow,
    status: 201,
  },
  lookUpLink: {
    ...guessable,
    path: '/v1/one-time-links/lookup',
    summary: 'Show the account of a one-time link, without using the link',
    body: lookUpLinkBody,
    row: linkRow,
  },
  takeLink: {
    ...guessable,
    path: '/v1/one-time-links',
    summary: 'Choose a password by a one-time link, which ends all sessions, and sign in',
    body: takeLinkBody,
    row: linkTakenRow,
    status: 201,
  },
  sessions: {
    ...list,
    path: '/v1/sessions',
    summary: 'Sessions of the account, last used first',
    row: sessionRow,
  },
  signOut: {
    ...remove,
    path: '/v1/sessions/current',
    summary: 'End the session',
    row: endedRow,
  },
  endOtherSessions: {
    ...remove,
    path: '/v1/sessions',
    summary: 'End all other sessions',
    row: endedRow,
  },
  endSession: {
    ...remove,
    path: '/v1/sessions/{id}',
    summary: 'End a session',
    pathParameters: idPath('0123456789abcdef'),
    row: endedRow,
  },
  confirm: {
    ...guessable,
    path: '/v1/sessions/current/confirmation',
    summary: 'Confirm the password or a passkey again; valid for ten minutes',
    body: confirmBody,
    row: accountRow,
  },
} as const
