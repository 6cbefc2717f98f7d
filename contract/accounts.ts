import { z } from 'zod'
import { chartBody } from './charts.ts'
import { isoDate } from './envelope.ts'
import { accountTiers } from './tiers.ts'

const time = z.iso.datetime()

/** The envelope of answers about accounts. */
export const accountSuccessSchema = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ success: z.literal(true), data: z.array(row), count: z.int(), timestamp: time })

/** What the caller may do, and how people get accounts here; a page asks it first. */
export const accessRow = z
  .strictObject({
    access: z
      .enum(['tiered', 'open'])
      .meta({ description: 'open: everything is allowed to everyone, without accounts' }),
    tier: z.enum(['demo', ...accountTiers]),
    email: z.string().nullable().meta({ description: 'Of the account that is signed in' }),
    sign_up: z.enum(['open', 'invited', 'off']),
    passkeys: z
      .boolean()
      .meta({ description: 'Passkeys can be used at this address: https, or localhost by its name' }),
  })
  .meta({ id: 'Access' })

export const accountRow = z
  .strictObject({
    email: z.string(),
    tier: z.enum(accountTiers),
    created_at: time,
    has_password: z.boolean(),
    second_factor: z.boolean().meta({ description: 'Signing in with the password needs a one-time code' }),
    recovery_codes_left: z.int(),
    passkeys: z.int(),
    confirmed_until: time
      .nullable()
      .meta({ description: 'Until then nothing asks for the password again; null once it does' }),
    requests_today: z.int(),
    requests_per_day: z.int(),
  })
  .meta({ id: 'Account' })

export const signedUpRow = z.strictObject({ email: z.string() })
export const linkRow = z.strictObject({
  email: z.string(),
  is_invitation: z.boolean().meta({ description: 'Nobody has chosen a password for this account yet' }),
})
/** What came of a link: without a second factor the caller is signed in. */
export const linkTakenRow = z.strictObject({ email: z.string(), signed_in: z.boolean() })

const keyFields = {
  id: z.string().meta({ description: 'How the key begins' }),
  name: z.string(),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To the minute' }),
  requests_today: z.int().meta({ description: 'Since midnight UTC' }),
}
export const keyRow = z.strictObject(keyFields).meta({ id: 'ApiKey' })
export const newKeyRow = z.strictObject({
  ...keyFields,
  key: z.string().meta({ description: 'The whole key; shown this once and never again' }),
})

export const usageRow = z.strictObject({ date: isoDate, requests: z.int() })
export const keyUsageRow = z.strictObject({
  date: isoDate,
  key: z.string().nullable().meta({ description: 'How the key begins; null for requests of a signed-in browser' }),
  endpoint: z.string(),
  requests: z.int(),
})

export const sessionRow = z
  .strictObject({
    id: z.string(),
    is_current: z.boolean(),
    user_agent: z.string(),
    created_at: time,
    last_used_at: time.meta({ description: 'To ten minutes' }),
    expires_at: time,
  })
  .meta({ id: 'Session' })
const endedRow = z.strictObject({ ended: z.int() })

export const codesRow = z.strictObject({
  secret: z.string().meta({ description: 'Base32, to be typed into an authenticator app' }),
  otpauth_url: z.string().meta({ description: 'The same for a QR code' }),
})
export const recoveryCodesRow = z.strictObject({
  recovery_codes: z.array(z.string()).meta({ description: 'Each signs in once without the app; shown this once' }),
})

export const passkeyRow = z
  .strictObject({ id: z.string(), name: z.string(), created_at: time, last_used_at: time.nullable() })
  .meta({ id: 'Passkey' })
/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const passkeyCreationRow = z.strictObject({
  challenge: z.string(),
  rp: z.strictObject({ id: z.string(), name: z.string() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.strictObject({ type: z.literal('public-key'), alg: z.int() })),
  excludeCredentials: z.array(z.strictObject({ type: z.literal('public-key'), id: z.string() })),
  authenticatorSelection: z.strictObject({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
  timeout: z.int(),
})
/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const passkeyRequestRow = z.strictObject({
  challenge: z.string(),
  rpId: z.string(),
  userVerification: z.literal('required'),
  timeout: z.int(),
})

export const pictureRow = z
  .strictObject({ id: z.string(), name: z.string(), created_at: time, png_url: z.string(), svg_url: z.string() })
  .meta({ id: 'Picture' })

const pinned = z.strictObject({
  title: z.string({ error: 'must be a text' }).max(200, 'must have at most 200 characters'),
  address: z
    .string({ error: 'must be a text' })
    .max(2_000, 'must have at most 2000 characters')
    .regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'must be an address of this service that begins with one slash'),
})
const boardFields = {
  title: z.string({ error: 'must be a text' }).max(200, 'must have at most 200 characters'),
  charts: z.array(pinned, { error: 'must be a list' }).max(50, 'must have at most 50 entries'),
}
export const boardBody = z.strictObject(boardFields)
/** A title, and pages of this service with the chart that is meant in their address. */
export type BoardContent = z.output<typeof boardBody>
export const boardRow = z.strictObject({
  ...boardFields,
  share: z.string().nullable().meta({ description: 'Whoever has it sees the board at /v1/boards/{share}' }),
})

const email = z.email({ error: 'must be an e-mail address' }).max(200, 'must have at most 200 characters')
const newPassword = z
  .string({ error: 'must be a text' })
  .min(12, 'must have at least 12 characters')
  .max(200, 'must have at most 200 characters')
const givenPassword = z.string().max(200)
const code = z.string().max(40).meta({ description: 'Of the authenticator app, or a recovery code' })
const token = z.string().max(100)
const name = z
  .string({ error: 'must be a text' })
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')

const bytes = z
  .string()
  .max(8_192)
  .regex(/^[\w-]+$/, 'must be base64url')
/** `RegistrationResponseJSON` of WebAuthn; what is not needed may stand there. */
export const passkeyRegistration = z.object({
  id: z
    .string()
    .max(2_048)
    .regex(/^[\w-]+$/, 'must be base64url'),
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, publicKey: bytes }),
})
/** `AuthenticationResponseJSON` of WebAuthn; what is not needed may stand there. */
export const passkeyAssertion = z.object({
  id: z.string().max(2_048),
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
})

export const signUpBody = z.strictObject({ email, password: newPassword })
export const signInBody = z.strictObject({ email: z.string().max(200), password: givenPassword, code: code.optional() })
export const lookUpLinkBody = z.strictObject({ token })
export const takeLinkBody = z.strictObject({ token, password: newPassword })
export const confirmBody = z.union([
  z.strictObject({ password: givenPassword }),
  z.strictObject({ credential: passkeyAssertion }),
])
export const changePasswordBody = z.strictObject({ password: givenPassword, new_password: newPassword })
export const codeBody = z.strictObject({ code })
export const newPasskeyBody = z.strictObject({ name, credential: passkeyRegistration })
export const passkeySignInBody = z.strictObject({ credential: passkeyAssertion })
export const newPictureBody = z.strictObject({ name, chart: chartBody })
export const newKeyBody = z.strictObject({
  name,
  expires_in_days: z
    .int('must be a whole number of days')
    .min(1, 'must be at least 1')
    .max(3650, 'must be at most 3650')
    .optional()
    .meta({ description: 'Without it the key does not expire' }),
})

export const keyIdPath = z.object({ id: z.string().meta({ example: 'cs_0123456789ab' }) })
const sessionIdPath = z.object({ id: z.string().meta({ example: '0123456789abcdef' }) })
const pictureIdPath = z.object({ id: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx' }) })
const sharePath = z.object({ share: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx' }) })
const passkeyIdPath = z.object({ id: z.string().meta({ example: 'AbCdEfGh' }) })

const noBody = z.undefined()
const noPath = z.object({})

/** What most actions are: free of parameters, and counted as the caller's usual requests. */
const usual = { pathParameters: noPath, body: noBody, status: 200, limitShare: 1, countedBy: 'caller' } as const
/** Where a password, a code or a link could be guessed: counted by address, whoever is signed in. */
const guessable = { ...usual, limitShare: 0.1, countedBy: 'address' } as const
const confirmed = 'needs the password again where it was given more than ten minutes ago'

/**
 * Requests of people about their account; `limitShare` is how much of the usual requests a minute they may make, and
 * `countedBy` whether the network address counts or the caller. Most need the session cookie.
 */
export const accountActions = {
  access: {
    ...usual,
    method: 'get',
    path: '/v1/access',
    summary: 'What the caller may see, and how people get accounts here; needs no account',
    row: accessRow,
  },
  signUp: {
    ...guessable,
    method: 'post',
    path: '/v1/accounts',
    summary: 'Ask for an account of tier free (SIGN_UP=open); the answer does not tell whether the address has one',
    body: signUpBody,
    row: signedUpRow,
    status: 202,
  },
  signIn: {
    ...guessable,
    method: 'post',
    path: '/v1/sessions',
    summary: 'Sign in; the session lives in a cookie for 30 days',
    body: signInBody,
    row: accountRow,
    status: 201,
  },
  passkeyChallenge: {
    ...guessable,
    method: 'post',
    path: '/v1/passkeys/challenge',
    summary: 'What a passkey signs to sign in or to confirm; holds for five minutes',
    row: passkeyRequestRow,
    status: 201,
  },
  passkeySignIn: {
    ...guessable,
    method: 'post',
    path: '/v1/sessions/passkey',
    summary: 'Sign in with a passkey',
    body: passkeySignInBody,
    row: accountRow,
    status: 201,
  },
  lookUpLink: {
    ...guessable,
    method: 'post',
    path: '/v1/one-time-links/lookup',
    summary: 'For whom a one-time link is; uses nothing up',
    body: lookUpLinkBody,
    row: linkRow,
  },
  takeLink: {
    ...guessable,
    method: 'post',
    path: '/v1/one-time-links',
    summary: 'Choose a password by a one-time link of the operator, which ends all sessions, and sign in',
    body: takeLinkBody,
    row: linkTakenRow,
    status: 201,
  },
  sessions: {
    ...usual,
    method: 'get',
    path: '/v1/sessions',
    summary: 'Where the account is signed in, last used first',
    row: sessionRow,
  },
  signOut: {
    ...usual,
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'End the session',
    row: endedRow,
  },
  endOtherSessions: {
    ...usual,
    method: 'delete',
    path: '/v1/sessions',
    summary: 'End all sessions but this one',
    row: endedRow,
  },
  endSession: {
    ...usual,
    method: 'delete',
    path: '/v1/sessions/{id}',
    summary: 'End a session',
    pathParameters: sessionIdPath,
    row: endedRow,
  },
  confirm: {
    ...guessable,
    method: 'post',
    path: '/v1/sessions/current/confirmation',
    summary: 'Give the password, or a passkey, again; holds for ten minutes',
    body: confirmBody,
    row: accountRow,
  },
  account: {
    ...usual,
    method: 'get',
    path: '/v1/account',
    summary: 'The account that is signed in',
    row: accountRow,
  },
  deleteAccount: {
    ...usual,
    method: 'delete',
    path: '/v1/account',
    summary: `Delete the account with its keys, for good; ${confirmed}`,
    row: z.strictObject({ email: z.string() }),
  },
  changePassword: {
    ...guessable,
    method: 'post',
    path: '/v1/account/password',
    summary: 'Change the password, which ends all other sessions',
    body: changePasswordBody,
    row: accountRow,
  },
  startCodes: {
    ...usual,
    method: 'post',
    path: '/v1/account/codes',
    summary: `Begin to use one-time codes of an app as second factor; ${confirmed}`,
    row: codesRow,
    status: 201,
  },
  confirmCodes: {
    ...guessable,
    method: 'post',
    path: '/v1/account/codes/confirmation',
    summary: 'Prove that the app makes the codes; from then on signing in needs one. Answers recovery codes',
    body: codeBody,
    row: recoveryCodesRow,
  },
  removeCodes: {
    ...usual,
    method: 'delete',
    path: '/v1/account/codes',
    summary: `Sign in without one-time codes again; ${confirmed}`,
    row: accountRow,
  },
  renewRecoveryCodes: {
    ...usual,
    method: 'post',
    path: '/v1/account/recovery-codes',
    summary: `New recovery codes in place of the old ones; ${confirmed}`,
    row: recoveryCodesRow,
    status: 201,
  },
  passkeys: {
    ...usual,
    method: 'get',
    path: '/v1/passkeys',
    summary: 'Passkeys of the account, newest first',
    row: passkeyRow,
  },
  startPasskey: {
    ...usual,
    method: 'post',
    path: '/v1/passkeys/registration',
    summary: `What a browser needs to make a passkey; ${confirmed}`,
    row: passkeyCreationRow,
    status: 201,
  },
  addPasskey: {
    ...usual,
    method: 'post',
    path: '/v1/passkeys',
    summary: 'Keep a passkey that a browser made',
    body: newPasskeyBody,
    row: passkeyRow,
    status: 201,
    limitShare: 0.1,
  },
  removePasskey: {
    ...usual,
    method: 'delete',
    path: '/v1/passkeys/{id}',
    summary: `Forget a passkey; ${confirmed}`,
    pathParameters: passkeyIdPath,
    row: z.strictObject({ id: z.string() }),
  },
  keys: {
    ...usual,
    method: 'get',
    path: '/v1/keys',
    summary: 'API keys of the account, newest first',
    row: keyRow,
  },
  createKey: {
    ...usual,
    method: 'post',
    path: '/v1/keys',
    summary: `Create an API key; needs tier pro or higher, and ${confirmed}`,
    body: newKeyBody,
    row: newKeyRow,
    status: 201,
    limitShare: 0.1,
  },
  revokeKey: {
    ...usual,
    method: 'delete',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key at once and for good',
    pathParameters: keyIdPath,
    row: keyRow,
  },
  usage: {
    ...usual,
    method: 'get',
    path: '/v1/usage',
    summary: 'Requests of the account by day (UTC), newest first, for 90 days',
    row: usageRow,
  },
  keyUsage: {
    ...usual,
    method: 'get',
    path: '/v1/usage/keys',
    summary: 'The same by key and endpoint',
    row: keyUsageRow,
  },
  pictures: {
    ...usual,
    method: 'get',
    path: '/v1/pictures',
    summary: 'Addresses of pictures that the account made, newest first',
    row: pictureRow,
  },
  createPicture: {
    ...usual,
    method: 'post',
    path: '/v1/pictures',
    summary:
      'Make an address by which everybody sees a chart, for pages elsewhere, with the rights and limits of the account, until it is removed; needs tier pro',
    body: newPictureBody,
    row: pictureRow,
    status: 201,
    limitShare: 0.1,
  },
  removePicture: {
    ...usual,
    method: 'delete',
    path: '/v1/pictures/{id}',
    summary: 'Remove the address of a picture for good',
    pathParameters: pictureIdPath,
    row: z.strictObject({ id: z.string() }),
  },
  board: {
    ...usual,
    method: 'get',
    path: '/v1/board',
    summary: 'The board of the account: addresses of charts on pages of this service',
    row: boardRow,
  },
  writeBoard: {
    ...usual,
    method: 'post',
    path: '/v1/board',
    summary: 'Write the board anew',
    body: boardBody,
    row: boardRow,
  },
  shareBoard: {
    ...usual,
    method: 'post',
    path: '/v1/board/share',
    summary: 'Let whoever has the new share see the board, with their own rights; an older share ends',
    row: boardRow,
    status: 201,
  },
  unshareBoard: {
    ...usual,
    method: 'delete',
    path: '/v1/board/share',
    summary: 'Share the board no longer',
    row: boardRow,
  },
  sharedBoard: {
    ...usual,
    method: 'get',
    path: '/v1/boards/{share}',
    summary: 'A board that somebody shares; needs no account',
    pathParameters: sharePath,
    row: boardBody,
  },
} as const

export type AccountAction = (typeof accountActions)[keyof typeof accountActions]
