import { createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { z } from 'zod'
import type { passkeyAssertion, passkeyRegistration } from '#contract/accounts/bodies.ts'

/** Where a passkey is used: the origin of the page, and the host name that the passkey belongs to. */
export interface PasskeySite {
  readonly origin: string
  /** Relying party identifier. */
  readonly site: string
}

/** Whether a challenge is ours; it no longer is. */
type RedeemChallenge = (challenge: string) => Promise<boolean>

/** What is kept of a passkey. */
export interface PasskeyRecord {
  readonly id: string
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array
  readonly signCount: number
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
/** Of authenticator data: hash of the site, flags, count of signatures. */
const headerLength = 37
const aaguidLength = 16

/** Where passkeys can be used at all; undefined on other addresses. By https, or on this machine by its name. */
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
 * What to keep of a new passkey (WebAuthn level 3, 7.1); undefined for anything amiss. Who made the authenticator is
 * not asked (attestation "none"), so that the key counts as the browser reports it.
 */
export async function readRegistration(
  { id, response }: z.output<typeof passkeyRegistration>,
  { origin, site }: PasskeySite,
  redeemChallenge: RedeemChallenge,
): Promise<PasskeyRecord | undefined> {
  const data = decode(response.authenticatorData)
  const head = readHeader(data, site)
  if (!(await isValidClientData(decode(response.clientDataJSON), 'webauthn.create', origin, redeemChallenge)))
    return undefined
  if (!head || (head.flags & hasCredential) === 0) return undefined
  const lengthAt = headerLength + aaguidLength
  if (data.length < lengthAt + 2) return undefined
  const credential = data.subarray(lengthAt + 2, lengthAt + 2 + data.readUInt16BE(lengthAt))
  if (credential.toString('base64url') !== id) return undefined
  const publicKey = decode(response.publicKey)
  if (!readKey(publicKey)) return undefined
  return { id, publicKey, signCount: head.signCount }
}

/**
 * The new count of signatures where the passkey signed the challenge (WebAuthn level 3, 7.2); undefined for anything
 * amiss. A count that does not grow tells of a copy.
 */
export async function checkAssertion(
  { response }: z.output<typeof passkeyAssertion>,
  { origin, site }: PasskeySite,
  { publicKey, signCount }: PasskeyRecord,
  redeemChallenge: RedeemChallenge,
): Promise<number | undefined> {
  const [data, client] = [decode(response.authenticatorData), decode(response.clientDataJSON)]
  const head = readHeader(data, site)
  const key = readKey(publicKey)
  if (!(await isValidClientData(client, 'webauthn.get', origin, redeemChallenge)) || !head || !key) return undefined
  const signed = Buffer.concat([data, hash('sha256', client, 'buffer')])
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  if (!verify(algorithm, signed, key, decode(response.signature))) return undefined
  const isCopy = (head.signCount > 0 || signCount > 0) && head.signCount <= signCount
  return isCopy ? undefined : head.signCount
}

/** Whether a page of ours asked for it, with a challenge that we made. */
async function isValidClientData(
  bytes: Buffer,
  type: string,
  origin: string,
  redeemChallenge: RedeemChallenge,
): Promise<boolean> {
  let given: unknown
  try {
    given = JSON.parse(bytes.toString('utf8'))
  } catch {
    return false
  }
  const client = clientDataSchema.safeParse(given).data
  if (client === undefined || client.type !== type || client.origin !== origin || client.crossOrigin) return false
  return redeemChallenge(client.challenge)
}

/** Flags and count of signatures, where the data are of this site and of a user who was verified. */
function readHeader(data: Buffer, site: string): { readonly flags: number; readonly signCount: number } | undefined {
  if (data.length < headerLength) return undefined
  if (!timingSafeEqual(data.subarray(0, 32), hash('sha256', site, 'buffer'))) return undefined
  const flags = data[32]!
  const needed = userPresent | userVerified
  return (flags & needed) === needed ? { flags, signCount: data.readUInt32BE(33) } : undefined
}

/** ES256, RS256 or EdDSA; undefined for other keys. */
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
