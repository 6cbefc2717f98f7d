import { z } from 'zod'
import { alertChannels } from '../alerts.ts'
import { isoDate, metaSchema } from '../envelope.ts'
import { accountTiers } from '../tiers.ts'
import { keyLimits } from './bodies.ts'

const time = z.iso.datetime()

export const accountSuccessSchema = <Row extends z.ZodType>(row: Row, meta?: z.ZodObject) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(row),
    count: z.int(),
    timestamp: time,
    ...(meta && { meta }),
  })

/** Pages request it first. */
export const accessRow = z
  .strictObject({
    access: z
      .enum(['tiered', 'open'])
      .meta({ description: 'open: everything is allowed to everyone, without accounts' }),
    tier: z.enum(['demo', ...accountTiers]),
    email: z.string().nullable().meta({ description: 'Address of the account that is signed in' }),
    sign_up: z.enum(['open', 'invited', 'off']),
    sign_up_mail: z.boolean().meta({ description: 'Sign-up takes no password, but mails a link that sets one' }),
    passkeys: z
      .boolean()
      .meta({ description: 'Passkeys can be used at this address: https, or localhost by its name' }),
    alert_channels: z
      .array(z.enum(alertChannels))
      .meta({ description: 'Where this service sends messages of alerts; webhooks need tier pro' }),
  })
  .meta({ id: 'AccessRules' })

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
      .meta({ description: 'Until then no action asks for the password again; null if they do' }),
    requests_today: z.int(),
    requests_per_day: z.int(),
  })
  .meta({ id: 'OwnAccount' })

export const accountActors = ['user', 'app', 'operator'] as const
export const accountLogRow = z
  .strictObject({
    created_at: time,
    change: z.string().meta({ example: 'key created' }),
    detail: z.string(),
    actor: z.enum(accountActors).meta({ description: 'The operator by a command, which has no address' }),
    address: z.string().nullable(),
  })
  .meta({ id: 'AccountLogLine' })

export const signedUpRow = z.strictObject({ email: z.string() })
export const linkRow = z.strictObject({
  email: z.string(),
  is_invitation: z.boolean().meta({ description: 'The account has no password yet' }),
})
/** Signed in unless the account has a second factor. */
export const linkTakenRow = z.strictObject({ email: z.string(), signed_in: z.boolean() })

const keyFields = {
  id: z.string().meta({ description: 'Beginning of the key' }),
  name: z.string(),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To the minute' }),
  limits: keyLimits.nullable(),
  requests_today: z.int().meta({ description: 'Since midnight UTC' }),
}
export const keyRow = z.strictObject(keyFields).meta({ id: 'ApiKey' })
export const newKeyRow = z.strictObject({
  ...keyFields,
  key: z.string().meta({ description: 'The whole key; shown this once and never again' }),
})

export const usageRow = z.strictObject({
  date: isoDate,
  key: z.string().nullable().meta({
    description: 'Beginning of the key, or the id of a connected app; null for requests of a signed-in browser',
  }),
  endpoint: z.string(),
  requests: z.int(),
})

export const listMeta = z.strictObject({ next_offset: metaSchema.shape.next_offset })
export const usageMeta = listMeta.extend({
  budgets: z
    .array(
      z.strictObject({
        budget: z.enum(['cells', 'renders']),
        limit: z.number().meta({ description: 'Budget per minute: values read or computed, or seconds of drawing' }),
        remaining: z.number(),
        whole_in: z.int().meta({ description: 'Seconds until all of the budget is available again' }),
      }),
    )
    .meta({ description: 'What is left of the budgets of work' }),
})

export const sessionRow = z
  .strictObject({
    id: z.string(),
    is_current: z.boolean(),
    user_agent: z.string(),
    created_at: time,
    last_used_at: time.meta({ description: 'Rounded to ten minutes' }),
    expires_at: time,
  })
  .meta({ id: 'Session' })
export const endedRow = z.strictObject({ ended: z.int() })

export const codesRow = z.strictObject({
  secret: z.string().meta({ description: 'Secret in Base32, to type into an authenticator app' }),
  otpauth_url: z.string().meta({ description: 'Address with the secret, to show as a QR code' }),
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
  .meta({ id: 'PublicPicture' })
