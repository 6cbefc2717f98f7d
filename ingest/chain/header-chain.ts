import { displayHash, uint32At } from './bytes.ts'

/** Offsets in a serialized block header. */
const previousHashAt = 4
const timeAt = 68
const bitsAt = 72

export const previousHash = (header: Uint8Array): Uint8Array => header.subarray(previousHashAt, previousHashAt + 32)

/** Seconds of a day; Bitcoin's time knows no leap seconds. */
export const secondsPerDay = 86_400

/**
 * The headers of one chain from genesis to its tip, in columns by height. Times and days lie in shared memory, so that
 * scan workers read them without a copy.
 */
export interface HeaderChain {
  readonly tipHeight: number
  /** 32 bytes a block, in the byte order of the block files. */
  readonly hashes: Uint8Array
  /** Header time as the miner set it, unix seconds. */
  readonly headerTimes: Uint32Array
  /** Running maximum of the header times: the time by which ages and days are counted. */
  readonly times: Uint32Array
  /** Unix day of `times`. */
  readonly days: Int32Array
  /** Compact difficulty target. */
  readonly bits: Uint32Array
  /** Expected number of hashes to find all these blocks. */
  readonly work: bigint
}

/** Builds the columns from 80-byte headers in height order, with the hash of each. */
export function buildHeaderChain(headers: readonly Uint8Array[], hashes: readonly Uint8Array[]): HeaderChain {
  const count = headers.length
  const headerTimes = new Uint32Array(count)
  const bits = new Uint32Array(count)
  const joined = new Uint8Array(32 * count)
  const times = new Uint32Array(new SharedArrayBuffer(4 * count))
  const days = new Int32Array(new SharedArrayBuffer(4 * count))
  let latest = 0
  let work = 0n
  for (let height = 0; height < count; height++) {
    const header = headers[height]!
    headerTimes[height] = uint32At(header, timeAt)
    bits[height] = uint32At(header, bitsAt)
    latest = Math.max(latest, headerTimes[height]!)
    times[height] = latest
    days[height] = Math.floor(latest / secondsPerDay)
    work += blockWork(bits[height]!)
    joined.set(hashes[height]!, 32 * height)
  }
  return { tipHeight: count - 1, hashes: joined, headerTimes, times, days, bits, work }
}

export const hashAt = (chain: HeaderChain, height: number): Uint8Array =>
  chain.hashes.subarray(32 * height, 32 * height + 32)

export const tipHash = (chain: HeaderChain): string => displayHash(hashAt(chain, chain.tipHeight))

const workByBits = new Map<number, bigint>()

/** Expected number of hashes to find a block of this compact target: 2^256 / (target + 1). */
export function blockWork(bits: number): bigint {
  let work = workByBits.get(bits)
  if (work === undefined) {
    work = 2n ** 256n / (targetOf(bits) + 1n)
    workByBits.set(bits, work)
  }
  return work
}

/**
 * Whether a header's hash (in the byte order of the block files) is as low as the header's own target demands, and that
 * target no easier than `easiestBits`. A header with a flipped bit practically never is, on a network with real miners.
 */
export function provesWork(header: Uint8Array, hash: Uint8Array, easiestBits: number): boolean {
  const target = targetOf(uint32At(header, bitsAt))
  return target <= targetOf(easiestBits) && BigInt(`0x${displayHash(hash)}`) <= target
}

/** The target that a compact form (`nBits`) stands for. */
export function targetOf(bits: number): bigint {
  const exponent = bits >>> 24
  const mantissa = BigInt(bits & 0x7fffff)
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3))
}
