import { z } from 'zod'
import { isoDate } from './envelope.ts'
import { accountTiers } from './tiers.ts'

const time = z.iso.datetime()

/** The envelope of answers about accounts. */
export const accountSuccessSchema = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ success: z.literal(true), data: z.array(row), count: z.int(), timestamp: time })

export const accountRow = z
  .strictObject({ email: z.string(), tier: z.enum(accountTiers), created_at: time })
  .meta({ id: 'Account' })

const keyFields = {
  id: z.string().meta({ description: 'How the key begins' }),
  name: z.string(),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To the minute' }),
}
export const keyRow = z.strictObject(keyFields).meta({ id: 'ApiKey' })
export const newKeyRow = z.strictObject({
  ...keyFields,
  key: z.string().meta({ description: 'The whole key; shown this once and never again' }),
})
export const usageRow = z.strictObject({ date: isoDate, requests: z.int() })

const email = z.email({ error: 'must be an e-mail address' }).max(200, 'must have at most 200 characters')
const password = z
  .string({ error: 'must be a text' })
  .min(12, 'must have at least 12 characters')
  .max(200, 'must have at most 200 characters')

export const signUpBody = z.strictObject({ email, password })
export const signInBody = z.strictObject({ email: z.string().max(200), password: z.string().max(200) })
export const newKeyBody = z.strictObject({
  name: z
    .string({ error: 'must be a text' })
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters'),
  expires_in_days: z
    .int('must be a whole number of days')
    .min(1, 'must be at least 1')
    .max(3650, 'must be at most 3650')
    .optional()
    .meta({ description: 'Without it the key does not expire' }),
})
export const keyIdPath = z.object({ id: z.string().meta({ example: 'cs_0123456789ab' }) })

const noBody = z.undefined()
const noPath = z.object({})

/**
 * Requests of people about their account; `limitShare` is how much of the usual requests a minute they may make. All but
 * signing up and in need the session cookie.
 */
export const accountActions = {
  signUp: {
    method: 'post',
    path: '/v1/accounts',
    summary: 'Create an account of tier free and sign in',
    pathParameters: noPath,
    body: signUpBody,
    row: accountRow,
    status: 201,
    limitShare: 0.1,
  },
  signIn: {
    method: 'post',
    path: '/v1/sessions',
    summary: 'Sign in; the session lives in a cookie for 30 days',
    pathParameters: noPath,
    body: signInBody,
    row: accountRow,
    status: 201,
    limitShare: 0.1,
  },
  signOut: {
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'End the session',
    pathParameters: noPath,
    body: noBody,
    row: accountRow,
    status: 200,
    limitShare: 1,
  },
  account: {
    method: 'get',
    path: '/v1/account',
    summary: 'The account that is signed in',
    pathParameters: noPath,
    body: noBody,
    row: accountRow,
    status: 200,
    limitShare: 1,
  },
  keys: {
    method: 'get',
    path: '/v1/keys',
    summary: 'API keys of the account, newest first',
    pathParameters: noPath,
    body: noBody,
    row: keyRow,
    status: 200,
    limitShare: 1,
  },
  createKey: {
    method: 'post',
    path: '/v1/keys',
    summary: 'Create an API key; needs tier pro or higher',
    pathParameters: noPath,
    body: newKeyBody,
    row: newKeyRow,
    status: 201,
    limitShare: 0.1,
  },
  revokeKey: {
    method: 'delete',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key at once and for good',
    pathParameters: keyIdPath,
    body: noBody,
    row: keyRow,
    status: 200,
    limitShare: 1,
  },
  usage: {
    method: 'get',
    path: '/v1/usage',
    summary: 'Requests of the account by day (UTC), newest first, for 90 days',
    pathParameters: noPath,
    body: noBody,
    row: usageRow,
    status: 200,
    limitShare: 1,
  },
} as const

export type AccountAction = (typeof accountActions)[keyof typeof accountActions]
