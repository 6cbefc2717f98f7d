import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'

/** Bytes of the key with which Bitcoin Core 28 and newer XOR their block and undo files. */
export const keyBytes = 8

/** Where the key of a folder of block files stands. */
export const keyFile = (blocksFolder: string): string => path.join(blocksFolder, 'xor.dat')

/** Reads `xor.dat`; a folder without one holds plain files, which an all-zero key leaves as they are. */
export function readObfuscationKey(blocksFolder: string): Uint8Array {
  const file = keyFile(blocksFolder)
  let key: Uint8Array
  try {
    key = readFileSync(file)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Uint8Array(keyBytes)
    throw new CoinstrataError('source_unreadable', `cannot read ${file}`, {
      cause,
      cure: 'run as the user of the node, because Bitcoin Core lets nobody else read its files',
    })
  }
  if (key.length !== keyBytes) {
    throw new CoinstrataError('block_corrupt', `${file} has ${key.length} bytes instead of ${keyBytes}`, {
      cure: 'restart the node with -reindex',
    })
  }
  return key
}

/** XORs `bytes`, which were read at `fileOffset` of their file, in place. */
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
