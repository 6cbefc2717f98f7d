import { createECDH, hash } from 'node:crypto'
import { opcodes } from 'bitcoinjs-lib'
import { memoize } from '#base/memoize.ts'
import type { Random, RandomBytes } from './random.ts'

const { OP_0, OP_1, OP_2, OP_3, OP_RETURN, OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160, OP_HASH256 } = opcodes
const { OP_CHECKSIG, OP_CHECKMULTISIG, OP_PUSHDATA1 } = opcodes

const outputTypes = [
  'uncompressed-key',
  'key',
  'key-hash',
  'multisig',
  'script-hash',
  'data',
  'witness-key-hash',
  'witness-script-hash',
  'taproot',
  'later-witness',
  'non-standard',
] as const
export type OutputType = (typeof outputTypes)[number]

export const isOutputType = (text: string): text is OutputType => outputTypes.some((type) => type === text)

export interface Unlocking {
  readonly script: Uint8Array
  readonly witness: Uint8Array[]
}

const empty = new Uint8Array(0)
const signatureBytes = 72
const keyBytes = 33

/** Cached: OpenSSL takes as long for them as the chain's first year. */
const publicKeys = memoize((seed: number): readonly Uint8Array[] =>
  Array.from({ length: 64 }, (_, i) => {
    const pair = createECDH('secp256k1')
    pair.setPrivateKey(hash('sha256', `${seed}/key/${i}`, 'buffer'))
    return pair.getPublicKey(null, 'uncompressed')
  }),
)

/** Scripts and witnesses in real forms and sizes; hashes and signatures are random. */
export class OutputScripts {
  readonly #bytes: RandomBytes
  /** Valid curve points: Bitcoin Core compresses no others. */
  readonly #uncompressedKeys: readonly Uint8Array[]

  constructor(seed: number, bytes: RandomBytes) {
    this.#bytes = bytes
    this.#uncompressedKeys = publicKeys(seed)
  }

  lock(type: OutputType, random: Random): Uint8Array {
    const take = (length: number) => this.#bytes.take(random, length)
    switch (type) {
      case 'uncompressed-key':
        return script(this.#uncompressedKey(random), OP_CHECKSIG)
      case 'key':
        return script(this.#key(random), OP_CHECKSIG)
      case 'key-hash':
        return script(OP_DUP, OP_HASH160, take(20), OP_EQUALVERIFY, OP_CHECKSIG)
      case 'script-hash':
        return script(OP_HASH160, take(20), OP_EQUAL)
      case 'multisig': {
        const keys = [
          this.#key(random),
          this.#key(random),
          random.chance(0.3) ? this.#uncompressedKey(random) : undefined,
        ]
        const pushed = keys.filter((key) => key !== undefined)
        return script(OP_1, ...pushed, pushed.length === 2 ? OP_2 : OP_3, OP_CHECKMULTISIG)
      }
      case 'data':
        return random.chance(0.05) ? script(OP_RETURN) : script(OP_RETURN, take(4 + random.integer(72)))
      case 'witness-key-hash':
        return script(OP_0, take(20))
      case 'witness-script-hash':
        return script(OP_0, take(32))
      case 'taproot':
        return script(OP_1, take(32))
      case 'later-witness':
        return random.chance(0.5) ? script(OP_1, Uint8Array.of(0x4e, 0x73)) : script(OP_2, take(32))
      case 'non-standard':
        return random.pick([empty, script(OP_1), script(OP_HASH256, take(32), OP_EQUAL)])
    }
  }

  unlock(type: OutputType, random: Random, witness: boolean): Unlocking {
    const take = (length: number) => this.#bytes.take(random, length)
    const signature = () => take(signatureBytes - random.integer(2))
    switch (type) {
      case 'uncompressed-key':
      case 'key':
        return { script: script(signature()), witness: [] }
      case 'multisig':
        return { script: script(OP_0, signature()), witness: [] }
      case 'key-hash':
        return { script: script(signature(), this.#key(random)), witness: [] }
      case 'script-hash':
        return witness && random.chance(0.6)
          ? { script: script(script(OP_0, take(20))), witness: [signature(), this.#key(random)] }
          : { script: script(OP_0, signature(), signature(), take(105)), witness: [] }
      case 'witness-key-hash':
        return { script: empty, witness: [signature(), this.#key(random)] }
      case 'witness-script-hash':
        return { script: empty, witness: [empty, signature(), signature(), take(105)] }
      case 'taproot': {
        if (random.chance(0.85)) return { script: empty, witness: [take(64)] }
        // Most scripts only check keys, some carry a file.
        const revealed = 34 + random.integer(random.chance(0.3) ? 9000 : 200)
        return { script: empty, witness: [take(64), take(revealed), take(33)] }
      }
      case 'data':
      case 'later-witness':
        return { script: empty, witness: [] }
      case 'non-standard':
        return { script: script(take(1 + random.integer(40))), witness: [] }
    }
  }

  #key(random: Random): Uint8Array {
    return withPrefix(2 + random.integer(2), this.#bytes.take(random, keyBytes - 1))
  }

  /** A few are off the curve, as on mainnet. */
  #uncompressedKey(random: Random): Uint8Array {
    if (random.chance(0.02)) return withPrefix(4, this.#bytes.take(random, 64))
    return random.pick(this.#uncompressedKeys)
  }
}

function script(...parts: readonly (number | Uint8Array)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length + (part.length < OP_PUSHDATA1 ? 1 : 2)
  const joined = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'number') joined[at++] = part
    else {
      if (part.length >= OP_PUSHDATA1) joined[at++] = OP_PUSHDATA1
      joined[at++] = part.length
      joined.set(part, at)
      at += part.length
    }
  }
  return joined
}

const withPrefix = (first: number, rest: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(first), rest])

/** Bitcoin Core keeps unspendable outputs out of the UTXO set and the supply. */
export const isUnspendable = (script: Uint8Array): boolean => script[0] === OP_RETURN || script.length > 10_000
