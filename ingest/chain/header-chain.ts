import { secondsPerDay } from '#base/days.ts'
import { displayHash, uint32At } from './bytes.ts'
import { blockWork } from './proof-of-work.ts'

/** Offsets in a serialized block header. */
export const previousHashAt = 4
const merkleRootAt = 36
const timeAt = 68
const bitsAt = 72

export const previousHash = (header: Uint8Array): Uint8Array => header.subarray(previousHashAt, previousHashAt + 32)
/** Time and compact difficulty target of the header that begins at `at`. */
export const headerTime = (bytes: Uint8Array, at = 0): number => uint32At(bytes, at + timeAt)
export const headerBits = (bytes: Uint8Array, at = 0): number => uint32At(bytes, at + bitsAt)

/** The merkle root in a header. */
export const headerMerkleRoot = (header: Uint8Array): Uint8Array => header.subarray(merkleRootAt, merkleRootAt + 32)

/**
 * The headers of one chain from genesis to its tip, in columns by height. Times and days lie in shared memory, so that
 * scan workers read them without a copy.
 */
export interface HeaderChain {
  readonly tipHeight: number
  /** 32 bytes a block, in the byte order of the block files. */
  readonly hashes: Uint8Array
  /** Running maximum of the header times: the time by which ages and days are counted. */
  readonly times: Uint32Array
  /** Unix day of `times`. */
  readonly days: Int32Array
  /** Expected number of hashes to find all these blocks. */
  readonly work: bigint
}

/** What a chain is built from, in height order. */
export interface HeaderColumns {
  /** 32 bytes a block, in the byte order of the block files. */
  readonly hashes: Uint8Array
  /** Header time as the miner set it, unix seconds. */
  readonly times: Uint32Array
  /** Compact difficulty target. */
  readonly bits: Uint32Array
}

/** Builds a chain from 80-byte headers in height order, with the hash of each. */
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
  // Thousands of blocks in a row have the same target.
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

export const hashAt = (chain: HeaderChain, height: number): Uint8Array =>
  chain.hashes.subarray(32 * height, 32 * height + 32)

export const tipHash = (chain: HeaderChain): string => displayHash(hashAt(chain, chain.tipHeight))
