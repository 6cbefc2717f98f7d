import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { type RegtestChain, regtestChain } from '#test/support/regtest.ts'
import { ReadChain } from './support/read-chain.ts'

const bitcoind = findBitcoind()

/** One node and its chain; each step goes on where the last one ended. */
describe.skipIf(!bitcoind)('a chain that a real node makes', { timeout: 600_000 }, () => {
  let read: ReadChain
  let chain: RegtestChain

  beforeAll(async () => {
    chain = await regtestChain(bitcoind!, 260)
    read = await ReadChain.start(chain)
  })
  afterAll(() => read?.stop())

  it('is read in part, and then only what is new', async () => {
    expect(await read.published('files and RPC', 'grown')).toBe(261)
    await chain.grow(60)
    const blocks = await read.published('files and RPC', 'grown')
    expect(blocks).toBeGreaterThanOrEqual(60)
    expect(blocks).toBeLessThan(261)
    expect(await read.published('RPC', 'grown')).toBe(0)
  })

  it('gives the tables of a replay of all its outputs', () => read.expectEqualToReplay('grown'))

  it('has on every day the supply that the node counts', async () => {
    expect(await read.expectSupplyOfNode('grown')).toBeGreaterThan(80)
  })

  it('gives after a reorganisation of 8 blocks the tables of a replay', () =>
    read.expectReorganised('grown', async () =>
      expect(await read.published('files and RPC', 'grown')).toBeLessThan(100),
    ))
})
