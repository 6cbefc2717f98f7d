import { createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '#base/parse-json.ts'
import type { passkeyAssertion, passkeyRegistration } from '#contract/accounts/bodies.ts'

export interface PasskeySite {
  readonly origin: string
  /** Relying party identifier: a host name. */
  readonly site: string
}

/** Uses up a challenge; returns whether it was valid. */
type RedeemChallenge = (challenge: string) => Promise<boolean>

interface PasskeyRecord {
  readonly id: string
  /** SubjectPublicKeyInfo, DER. */
  readonly public_key: Uint8Array
  readonly sign_count: number
}

const clientDataSchema = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})
const userPresent = 1
const userVerified = 4
const hasCredential = 64
/** Authenticator data begin with the site's hash, flags and the signature counter. */
const headerLength = 37
const aaguidLength = 16

/** Passkeys need https and a host name, or localhost; undefined otherwise. */
export function parsePasskeySite(origin: string | undefined): PasskeySite | undefined {
  const url = origin === undefined ? null : URL.parse(origin)
  if (!url) return undefined
  const { protocol, hostname } = url
  const isNamed = !/^[\d.]+$|^\[/.test(hostname)
  return hostname === 'localhost' || (protocol === 'https:' && isNamed)
    ? { origin: url.origin, site: hostname }
    : undefined
}

/**
 * Verifies a registration (WebAuthn level 3, 7.1); undefined if any check fails. Takes the public
 * key as the browser reports it (attestation "none").
 */
export async function readRegistration(
  { id, response }: z.output<typeof passkeyRegistration>,
  { origin, site }: PasskeySite,
  redeem: RedeemChallenge,
): Promise<PasskeyRecord | undefined> {
  const data = decode(response.authenticatorData)
  const head = readHeader(data, site)
  if (!(await isValidClientData(decode(response.clientDataJSON), 'webauthn.create', origin, redeem))) return undefined
  if (!head || (head.flags & hasCredential) === 0) return undefined
  const lengthAt = headerLength + aaguidLength
  if (data.length < lengthAt + 2) return undefined
  const credential = data.subarray(lengthAt + 2, lengthAt + 2 + data.readUInt16BE(lengthAt))
  if (credential.toString('base64url') !== id) return undefined
  const public_key = decode(response.publicKey)
  return readKey(public_key) && { id, public_key, sign_count: head.signCount }
}

/**
 * Verifies an assertion (WebAuthn level 3, 7.2); returns the new signature counter, undefined if
 * any check fails. A counter that does not grow indicates a cloned authenticator.
 */
export async function checkAssertion(
  { response }: z.output<typeof passkeyAssertion>,
  { origin, site }: PasskeySite,
  { public_key, sign_count }: Omit<PasskeyRecord, 'id'>,
  redeem: RedeemChallenge,
): Promise<number | undefined> {
  const [data, client] = [decode(response.authenticatorData), decode(response.clientDataJSON)]
  const head = readHeader(data, site)
  const key = readKey(public_key)
  if (!(await isValidClientData(client, 'webauthn.get', origin, redeem)) || !head || !key) return undefined
  const signed = Buffer.concat([data, hash('sha256', client, 'buffer')])
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  if (!verify(algorithm, signed, key, decode(response.signature))) return undefined
  const isCopy = (head.signCount > 0 || sign_count > 0) && head.signCount <= sign_count
  return isCopy ? undefined : head.signCount
}

/** Checks the origin and the challenge, which is used up. */
async function isValidClientData(
  bytes: Buffer,
  type: string,
  origin: string,
  redeem: RedeemChallenge,
): Promise<boolean> {
  const client = clientDataSchema.safeParse(parseJson(bytes.toString('utf8'))).data
  if (client === undefined || client.type !== type || client.origin !== origin || client.crossOrigin) return false
  return redeem(client.challenge)
}

/** Undefined for another site, or if the user was not verified. */
function readHeader(data: Buffer, site: string): { readonly flags: number; readonly signCount: number } | undefined {
  if (data.length < headerLength) return undefined
  if (!timingSafeEqual(data.subarray(0, 32), hash('sha256', site, 'buffer'))) return undefined
  const flags = data[32]!
  const needed = userPresent | userVerified
  return (flags & needed) === needed ? { flags, signCount: data.readUInt32BE(33) } : undefined
}

/** Undefined for keys other than ES256, RS256 and EdDSA. */
function readKey(der: Uint8Array): KeyObject | undefined {
  let key: KeyObject
  try {
    key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const isKnown =
    type === 'ed25519' ||
    (type === 'ec' && details?.namedCurve === 'prime256v1') ||
    (type === 'rsa' && (details?.modulusLength ?? 0) >= 2048)
  return isKnown ? key : undefined
}

const decode = (text: string): Buffer => Buffer.from(text, 'base64url')
