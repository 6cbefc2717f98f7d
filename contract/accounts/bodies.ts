import { z } from 'zod'
import { chartBody } from '../charts.ts'
import { integerWithin, shortText, textUpTo } from '../field-schemas.ts'

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
export const newKeyBody = z.strictObject({
  name,
  expires_in_days: integerWithin([1, 3650], 'must be a whole number of days')
    .optional()
    .meta({ description: 'Without it the key does not expire' }),
})
