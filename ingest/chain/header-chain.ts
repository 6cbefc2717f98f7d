import { secondsPerDay } from '#base/days.ts'
import { asBytes, displayHash, uint32At } from './bytes.ts'
import { blockWork } from './proof-of-work.ts'

export const previousHashAt = 4
const merkleRootAt = 36
const timeAt = 68
const bitsAt = 72

export const previousHash = (header: Uint8Array): Uint8Array => header.subarray(previousHashAt, previousHashAt + 32)
export const headerTime = (bytes: Uint8Array, at = 0): number => uint32At(bytes, at + timeAt)
export const headerBits = (bytes: Uint8Array, at = 0): number => uint32At(bytes, at + bitsAt)

export const headerMerkleRoot = (header: Uint8Array): Uint8Array => header.subarray(merkleRootAt, merkleRootAt + 32)

/**
 * Headers from genesis to the tip, in columns by height. Times and days are in memory shared with
 * scan workers.
 */
export interface HeaderChain {
  readonly tipHeight: number
  /** 32 bytes each, in internal byte order. */
  readonly hashes: Uint8Array
  /** Running maximum of the header times, unix seconds; the base of ages and days. */
  readonly times: Uint32Array
  readonly days: Int32Array
  /** Expected number of hashes for all blocks. */
  readonly work: bigint
}

export interface HeaderColumns {
  /** In internal byte order. */
  readonly hashes: Uint8Array
  /** As set by the miner, unix seconds. */
  readonly times: Uint32Array
  readonly bits: Uint32Array
}

export function buildHeaderChain(headers: readonly Uint8Array[], hashes: readonly Uint8Array[]): HeaderChain {
  return chainOfColumns({
    hashes: Buffer.concat(hashes),
    times: Uint32Array.from(headers, (header) => headerTime(header)),
    bits: Uint32Array.from(headers, (header) => headerBits(header)),
  })
}

export function chainOfColumns({ hashes, times: headerTimes, bits }: HeaderColumns): HeaderChain {
  const count = bits.length
  const times = new Uint32Array(new SharedArrayBuffer(4 * count))
  const days = new Int32Array(new SharedArrayBuffer(4 * count))
  let latest = 0
  let work = 0n
  // Thousands of consecutive blocks have the same target.
  let runStart = 0
  for (let height = 0; height < count; height++) {
    latest = Math.max(latest, headerTimes[height]!)
    times[height] = latest
    days[height] = Math.floor(latest / secondsPerDay)
    if (bits[height] === bits[height + 1]) continue
    work += BigInt(height + 1 - runStart) * blockWork(bits[height]!)
    runStart = height + 1
  }
  return { tipHeight: count - 1, hashes, times, days, work }
}

/** Hash of a row, or of a chain's height. */
export const hashAt = ({ hashes }: { readonly hashes: Uint8Array }, row: number): Uint8Array =>
  hashes.subarray(32 * row, 32 * row + 32)

/** Hashes of some blocks, 32 bytes each; zeros above the tip. */
export function hashesOf({ hashes: { buffer, byteOffset, length } }: HeaderChain, heights: Uint32Array): Uint8Array {
  const chainWords = new Uint32Array(buffer, byteOffset, length / 4)
  const words = new Uint32Array(8 * heights.length)
  for (let i = 0; i < heights.length; i++) {
    for (let word = 0; word < 8; word++) words[8 * i + word] = chainWords[8 * heights[i]! + word]!
  }
  return asBytes(words)
}

export const tipHash = (chain: HeaderChain): string => displayHash(hashAt(chain, chain.tipHeight))
