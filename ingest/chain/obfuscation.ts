import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import { openError } from './file-errors.ts'

export const keyBytes = 8

export const keyFile = (blocksFolder: string): string => path.join(blocksFolder, 'xor.dat')

/** Files without a key (before Bitcoin Core 28) are plain: a key of zeros. */
export function readObfuscationKey(blocksFolder: string): Uint8Array {
  const file = keyFile(blocksFolder)
  let key: Uint8Array
  try {
    key = readFileSync(file)
  } catch (cause) {
    if (hasErrorCode(cause, 'ENOENT')) return new Uint8Array(keyBytes)
    throw openError(file, cause)
  }
  if (key.length !== keyBytes) {
    throw new CoinstrataError('block_corrupt', `${file} has ${key.length} bytes instead of ${keyBytes}`, {
      cure: 'restart the node with -reindex',
    })
  }
  return key
}

/** XORs `bytes`, read at `fileOffset` of their file, in place. */
export function deobfuscate(bytes: Uint8Array, key: Uint8Array, fileOffset: number): void {
  if (key.every((byte) => byte === 0)) return
  const turned = key.map((_, i) => key[(fileOffset + i) % keyBytes]!)
  let done = 0
  if (bytes.byteOffset % keyBytes === 0) {
    const words = new BigInt64Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / keyBytes))
    const word = new BigInt64Array(turned.buffer)[0]!
    for (let i = 0; i < words.length; i++) words[i]! ^= word
    done = words.length * keyBytes
  }
  for (let i = done; i < bytes.length; i++) bytes[i]! ^= turned[i % keyBytes]!
}
