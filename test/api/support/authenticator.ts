import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const userPresentAndVerified = 5
const hasCredential = 64

interface Asked {
  readonly challenge: string
  readonly origin: string
  readonly site: string
  readonly flags?: number
  readonly signCount?: number
  readonly type?: string
}

/** A passkey in software, which answers as browsers write it down (`toJSON`). */
export class Authenticator {
  readonly id = randomBytes(16)
  readonly #publicKey: KeyObject
  readonly #privateKey: KeyObject

  constructor(type: 'ec' | 'ed25519' | 'rsa' = 'ec') {
    const pair =
      type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : type === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 })
          : generateKeyPairSync('ed25519')
    this.#publicKey = pair.publicKey
    this.#privateKey = pair.privateKey
  }

  register(asked: Asked) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, Buffer.from('cose key, which nobody reads')])
    const data = Buffer.concat([head(asked, hasCredential), credential])
    return {
      id: this.id.toString('base64url'),
      rawId: this.id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON: clientData({ type: 'webauthn.create', ...asked }).toString('base64url'),
        authenticatorData: data.toString('base64url'),
        publicKey: this.#publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
      },
    }
  }

  assert(asked: Asked) {
    const data = head(asked)
    const client = clientData({ type: 'webauthn.get', ...asked })
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    const algorithm = this.#privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return {
      id: this.id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign(algorithm, signed, this.#privateKey).toString('base64url'),
      },
    }
  }
}

function head({ site, flags = userPresentAndVerified, signCount = 0 }: Asked, more = 0): Buffer {
  const counted = Buffer.alloc(4)
  counted.writeUInt32BE(signCount)
  return Buffer.concat([createHash('sha256').update(site).digest(), Buffer.of(flags | more), counted])
}

const clientData = ({ type, challenge, origin }: Asked): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
