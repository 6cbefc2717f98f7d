import { z } from 'zod'
import { chartBody } from '../charts.ts'
import { integerWithin, oneOf, shortText, textUpTo } from '../field-schemas.ts'
import { units } from '../units.ts'

const email = z.email({ error: 'must be an e-mail address' }).max(200, 'must have at most 200 characters')
const newPassword = textUpTo(200).min(12, 'must have at least 12 characters').meta({ example: 'correct horse battery' })
const givenPassword = z.string().max(200)
const code = z.string().max(40).meta({ description: 'Code of the authenticator app, or a recovery code' })
const token = z.string().max(100)
const name = shortText(100)

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url')
const bytes = base64url(8_192)
/** `RegistrationResponseJSON` of WebAuthn; further properties are ignored. */
export const passkeyRegistration = z.object({
  id: base64url(2_048),
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, publicKey: bytes }),
})
/** `AuthenticationResponseJSON` of WebAuthn; further properties are ignored. */
export const passkeyAssertion = z.object({
  id: z.string().max(2_048),
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
})

export const signUpBody = z.strictObject({ email, password: newPassword.optional() })
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
/** Checked like a file of the folder metrics when it is saved. */
export const ownMetricBody = z.strictObject({
  id: shortText(63).meta({ example: 'sth_upper_band' }),
  title: shortText(100),
  formula: shortText(1000),
  unit: oneOf(units),
  description: shortText(1000),
})
const network = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'must be addresses or networks, such as 192.0.2.0/24',
})
const dataRequest = z
  .string()
  .max(2_000)
  .regex(/^\/v1\/[^\s#]+$/, 'must be a path of data with its query')
export const keyLimits = z
  .strictObject({
    networks: z.array(network).min(1).max(20),
    tier: z.enum(['pro', 'enterprise']),
    request: dataRequest,
  })
  .partial()
  .meta({
    description:
      'Networks or addresses from which the key is valid; a tier of at most that of the account; a request, such as /v1/series?metrics=mvrv, which makes a data link: no key for headers, but /p/<key>.csv and .parquet answer this request',
    example: { networks: ['192.0.2.0/24'] },
  })
export type KeyLimits = z.output<typeof keyLimits>
export const newKeyBody = z.strictObject({
  name,
  expires_in_days: integerWithin([1, 3650], 'must be a whole number of days')
    .optional()
    .meta({ description: 'Without it the key does not expire, and a data link after a year' }),
  limits: keyLimits.optional(),
})
