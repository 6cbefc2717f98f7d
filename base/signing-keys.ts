import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CoinstrataError } from './errors.ts'

/** Ed25519 in PEM. */
export const readPrivateKey = (file: string): KeyObject =>
  readKey(file, createPrivateKey, 'openssl genpkey -algorithm ed25519 -out FILE')
/** Ed25519 in PEM. */
export const readPublicKey = (file: string): KeyObject =>
  readKey(file, createPublicKey, 'openssl pkey -in PRIVATE -pubout -out FILE')

function readKey(file: string, create: (pem: Buffer) => KeyObject, command: string): KeyObject {
  const unusable = (what: string, cause?: unknown): CoinstrataError =>
    new CoinstrataError('invalid_configuration', `${file} ${what}`, { cause, cure: `make one with "${command}"` })
  let key: KeyObject
  try {
    key = create(readFileSync(file))
  } catch (cause) {
    throw unusable('cannot be read as a key in PEM', cause)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw unusable(`holds a key of type ${key.asymmetricKeyType}, not ed25519`)
  return key
}

/** SubjectPublicKeyInfo in DER. */
export const encodePublicKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

/** SHA-256 in hexadecimal digits. */
export const fingerprint = (encoded: Buffer): string => hash('sha256', encoded)
