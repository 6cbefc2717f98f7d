/** A dump of unspent outputs, made coin by coin with whole numbers of any size. */

export interface MadeCoin {
  readonly index: number
  readonly height: number
  readonly coinbase: boolean
  readonly sats: number
  /** As it stands in the dump: its size prefix, then the compressed bytes. */
  readonly script: readonly [size: number, bytes: Uint8Array]
}

export interface MadeTransaction {
  readonly txid: Uint8Array
  readonly coins: readonly MadeCoin[]
}

/**
 * Bitcoin Core's VARINT (serialize.h): base 128, high groups first, one less for every group after
 * the first.
 */
export function varint(value: bigint): number[] {
  const bytes = [Number(value & 0x7fn)]
  for (let rest = value >> 7n; rest > 0n; rest >>= 7n) {
    rest -= 1n
    bytes.unshift(Number(rest & 0x7fn) | 0x80)
  }
  return bytes
}

/** `CompressAmount` (compressor.cpp). */
export function compressAmount(sats: number): bigint {
  if (sats === 0) return 0n
  let amount = BigInt(sats)
  let exponent = 0n
  while (amount % 10n === 0n && exponent < 9n) {
    amount /= 10n
    exponent++
  }
  if (exponent === 9n) return 1n + (amount - 1n) * 10n + 9n
  return 1n + ((amount / 10n) * 9n + (amount % 10n) - 1n) * 10n + exponent
}

export function compactSize(count: number): number[] {
  if (count < 0xfd) return [count]
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return count <= 0xffff ? [0xfd, ...bytes.subarray(0, 2)] : [0xfe, ...bytes]
}

export function dumpHeader(magic: number, hash: Uint8Array, coins: number): Buffer {
  const header = Buffer.alloc(51)
  header.write('7574786fff0200', 'hex')
  header.writeUInt32LE(magic, 7)
  header.set(hash, 11)
  header.writeBigUInt64LE(BigInt(coins), 43)
  return header
}

export const coinBytes = ({ index, height, coinbase, sats, script: [size, bytes] }: MadeCoin): Buffer =>
  Buffer.concat([
    Buffer.from([
      ...compactSize(index),
      ...varint(BigInt(2 * height + Number(coinbase))),
      ...varint(compressAmount(sats)),
      ...varint(BigInt(size)),
    ]),
    bytes,
  ])

export const makeDump = (magic: number, hash: Uint8Array, transactions: readonly MadeTransaction[]): Buffer =>
  Buffer.concat([
    dumpHeader(
      magic,
      hash,
      transactions.reduce((sum, { coins }) => sum + coins.length, 0),
    ),
    ...transactions.flatMap(({ txid, coins }) => [
      txid,
      Buffer.from(compactSize(coins.length)),
      ...coins.map(coinBytes),
    ]),
  ])
