import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { buildHeaderChain, hashAt, headerBits, tipHash } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { blockWork, decodeTarget, hasProofOfWork } from '#ingest/chain/proof-of-work.ts'

function header(time: number, bits = 0x1d00ffff): Uint8Array {
  const bytes = Buffer.alloc(80)
  bytes.writeUInt32LE(time, 68)
  bytes.writeUInt32LE(bits, 72)
  return bytes
}

const mainnetGenesis = Buffer.from(
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c',
  'hex',
)

describe('a header chain', () => {
  it('counts time by the running maximum of header times, and days by that', () => {
    const midnight = 86_400 * 14_250
    const times = [midnight - 100, midnight - 200, midnight + 10, midnight - 5, midnight + 9, midnight + 86_400]
    const headers = times.map((time) => header(time))
    const chain = buildHeaderChain(headers, headers.map(doubleSha256Of))
    expect([...chain.times].map((time) => time - midnight)).toEqual([-100, -100, 10, 10, 10, 86_400])
    expect([...chain.days]).toEqual([14_249, 14_249, 14_250, 14_250, 14_250, 14_251])
  })

  it('never goes back in time, and never ahead of the latest header', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff_ffff), { minLength: 1, maxLength: 40 }), (times) => {
        const headers = times.map((time) => header(time))
        const chain = buildHeaderChain(headers, headers.map(doubleSha256Of))
        for (const [height] of times.entries()) {
          expect(chain.times[height]).toBe(Math.max(...times.slice(0, height + 1)))
          expect(chain.days[height]).toBe(Math.floor((chain.times[height] ?? 0) / 86_400))
        }
      }),
    )
  })

  it('names the hash of each height, and of its tip as people read it', () => {
    const later = header(1)
    const chain = buildHeaderChain([mainnetGenesis, later], [mainnetGenesis, later].map(doubleSha256Of))
    expect(chain.tipHeight).toBe(1)
    expect(Buffer.from(hashAt(chain, 0)).reverse().toString('hex')).toBe(networks.mainnet.genesisHash)
    expect(tipHash(chain)).toBe(Buffer.from(doubleSha256(later)).reverse().toString('hex'))
  })

  it('adds up the work of its blocks', () => {
    // Every block up to 32,255 has difficulty 1; the node says chainwork 100010001 hex for the
    // first.
    const headers = [header(1), header(2), header(3, 0x1b0404cb)]
    const chain = buildHeaderChain(headers, headers.map(doubleSha256Of))
    expect(chain.work).toBe(2n * 0x100010001n + 2n ** 256n / (0x0404cbn * 2n ** 192n + 1n))
  })
})

describe('a compact target', () => {
  // Bitcoin Core, arith_uint256_tests.cpp, bignum_SetCompact
  it.each([
    [0x00123456, 0n],
    [0x01003456, 0n],
    [0x02000056, 0n],
    [0x03000000, 0n],
    [0x04000000, 0n],
    [0x01123456, 0x12n],
    [0x02123456, 0x1234n],
    [0x03123456, 0x123456n],
    [0x04123456, 0x12345600n],
    [0x05009234, 0x92340000n],
    [0x20123456, 0x123456n << 232n],
  ])('%d stands for %d', (bits, target) => {
    expect(decodeTarget(bits)).toBe(target)
  })

  it('of the lowest difficulty takes 2^32 hashes and a few', () => {
    expect(blockWork(0x1d00ffff)).toBe(0x100010001n)
    expect(blockWork(0x207fffff)).toBe(2n)
  })
})

describe('proof of work', () => {
  const { easiestBits } = networks.mainnet

  it('stands in the first block', () => {
    expect(hasProofOfWork(headerBits(mainnetGenesis), easiestBits, doubleSha256(mainnetGenesis))).toBe(true)
  })

  it('is gone with any bit flipped', () => {
    for (let bit = 0; bit < 640; bit++) {
      const flipped = Buffer.from(mainnetGenesis)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(hasProofOfWork(headerBits(flipped), easiestBits, doubleSha256(flipped)), `bit ${bit}`).toBe(false)
    }
  })

  it('does not count below the lowest difficulty of the network', () => {
    const easy = header(1, 0x2100ffff)
    expect(hasProofOfWork(headerBits(easy), easiestBits, new Uint8Array(32))).toBe(false)
  })
})

function doubleSha256Of(bytes: Uint8Array): Uint8Array {
  return doubleSha256(bytes)
}
