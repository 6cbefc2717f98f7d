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
  access: get('/v1/access', 'What the caller may see, and how people get accounts here; needs no account', accessRow, {
    allowsOpen: true,
  }),
  signUp: guessable(
    '/v1/accounts',
    'Create an account of tier free (SIGN_UP=open). If the service sends mail, request a link instead; the answer does not reveal whether the address has an account',
    signedUpRow,
    { body: signUpBody, status: 202 },
  ),
  signIn: guessable('/v1/sessions', 'Sign in; the session cookie is valid for 30 days', accountRow, {
    body: signInBody,
    status: 201,
  }),
  passkeyChallenge: guessable(
    '/v1/passkeys/challenge',
    'Create a challenge that a passkey signs to sign in or to confirm; valid for five minutes',
    passkeyRequestRow,
    { status: 201 },
  ),
  passkeySignIn: guessable('/v1/sessions/passkey', 'Sign in with a passkey', accountRow, {
    body: passkeySignInBody,
    status: 201,
  }),
  lookUpLink: guessable(
    '/v1/one-time-links/lookup',
    'Show the account of a one-time link, without using the link',
    linkRow,
    { body: lookUpLinkBody },
  ),
  takeLink: guessable(
    '/v1/one-time-links',
    'Choose a password by a one-time link, which ends all sessions, and sign in',
    linkTakenRow,
    { body: takeLinkBody, status: 201 },
  ),
  sessions: list('/v1/sessions', 'Sessions of the account, last used first', sessionRow),
  signOut: remove('/v1/sessions/current', 'End the session', endedRow),
  endOtherSessions: remove('/v1/sessions', 'End all other sessions', endedRow),
  endSession: remove('/v1/sessions/{id}', 'End a session', endedRow, { pathParameters: idPath('0123456789abcdef') }),
  confirm: guessable(
    '/v1/sessions/current/confirmation',
    'Confirm the password or a passkey again; valid for ten minutes',
    accountRow,
    { body: confirmBody },
  ),
} as const
