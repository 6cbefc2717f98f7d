import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { coinstrata } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
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

  it('gives after a reorganisation of 8 blocks the same tables from files with RPC, from files alone and from RPC alone', async () => {
    const ingested = await coinstrata(['ingest', ...read.args(read.sources.RPC(), 'rpc')])
    expect(ingested.exitCode, ingested.stderr).toBe(0)
    await read.expectReorganised('grown', async () => {
      expect(await read.published('files and RPC', 'grown')).toBeLessThan(100)
      expect(await read.published('RPC', 'rpc')).toBeLessThan(145)
      expect(await read.published('files', 'files')).toBe(322)
    })
    for (const name of ['rpc', 'files'])
      expect(await tableDifferences(read.dataDir('grown'), read.dataDir(name)), name).toEqual({})
    const compared = await coinstrata(['compare', read.dataDir('rpc'), '--data-dir', read.dataDir('files')])
    expect([compared.exitCode, compared.stdout]).toEqual([
      0,
      expect.stringMatching(/^flows: +([\d,]+) of \1 days equal$/m),
    ])
    expect(read.readGeneration('files').audit.node).toBe(null)
    expect(read.readGeneration('rpc').audit.node).toEqual({
      supply_sats: read.readGeneration('rpc').tip.supply_sats,
      utxo_count: read.readGeneration('rpc').tip.utxo_count,
    })
  })
})
