import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'
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
  })

  it('gives the tables of a replay of all its outputs', () => read.expectEqualToReplay('grown'))

  it('has on every day the supply that the node counts', async () => {
    const rows = await rowsOf(
      `SELECT block_height, supply_sats, utxo_count FROM ${publishedTable(read.dataDir('grown'), 'days')} WHERE blocks_mined > 0`,
    )
    expect(rows.length).toBeGreaterThan(80)
    const answers = await chain.node.client.batch(
      rows.map(([height]) => ({ method: 'gettxoutsetinfo', params: ['none', Number(height)] })),
      z.array(z.object({ total_amount: z.number(), txouts: z.int() })),
    )
    expect(rows.map(([, sats, outputs]) => [sats, outputs])).toEqual(
      answers.map(({ total_amount, txouts }) => [String(Math.round(total_amount * 1e8)), String(txouts)]),
    )
  })

  it('gives after a reorganisation of 8 blocks the tables of a replay', async () => {
    const staleTip = await chain.hashAt(chain.height)
    await chain.reorganise(8)
    expect(await read.published('files and RPC', 'grown')).toBeLessThan(100)
    const [row] = await rowsOf(
      `SELECT count(*) FROM ${publishedTable(read.dataDir('grown'), 'blocks')} WHERE hash = '${staleTip}'`,
    )
    expect(row).toEqual(['0'])
    await read.expectEqualToReplay('grown')
  })
})
