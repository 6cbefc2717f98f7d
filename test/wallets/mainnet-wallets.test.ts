import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { findTransactions } from '#wallets/find-transactions.ts'
import { computeLedger } from '#wallets/ledger.ts'
import { parseSources } from '#wallets/parse-sources.ts'
import { checkDescriptors, WalletNode } from '#wallets/wallet-node.ts'
import { UnindexedNode } from './watched-chain.ts'

const bitcoind = findBitcoind()
const recording = path.join(import.meta.dirname, '../../../shared/data/chain/mainnet-0-4521.dat')

/** The coinbase of block 9, of which the first payment of all was made, in block 170, to the second key. */
const payer =
  '0411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3'
const payee =
  '04ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84c'
/** The coinbase of block 1, by its address as explorers show it. */
const firstKey =
  '0496b538e853519c726a2c91e61ec11600ae1390813a627c66fb8be7947be63c52da7589379515d4e0a604f8141781e62294721166bf621e73a82cbf2342c858ee'

describe.skipIf(!bitcoind || !existsSync(recording))('known histories of mainnet', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startNode(bitcoind!, { network: 'mainnet', args: [`-loadblock=${recording}`, '-blockfilterindex=1'] })
    while ((await node.rpc('getblockcount')) !== 4521) await sleep(50)
  }, 120_000)
  afterAll(() => node?.stop())

  /** Height and change of the balance in BTC of each transaction. */
  async function history(text: string): Promise<string[]> {
    const watching = new WalletNode(node.client)
    const { descriptors } = parseSources([{ name: 'text', text }], 'mainnet')
    const wallet = { network: 'mainnet' as const, descriptors: await checkDescriptors(watching, descriptors) }
    const { transactions } = await findTransactions({ node: watching, wallet, say: () => {} })
    const said: string[] = []
    const unindexed = new UnindexedNode(node.client)
    const search = { node: unindexed, wallet, passBlocks: 2_000, say: (line: string) => said.push(line) }
    expect((await findTransactions(search)).transactions).toEqual(transactions)
    expect(unindexed.calls).not.toContain('scanblocks')
    expect(said).toEqual([
      expect.stringMatching(/^the node reads blocks 1 to 4,521, about [\d.]+ s left; blockfilterindex=1/),
      expect.stringMatching(/^the node reads blocks 2,001 to 4,521, about [\d.]+ s left$/),
    ])
    const amounts = new Map<string, number>()
    for (const { txid, created } of transactions)
      for (const { vout, sats } of created) amounts.set(`${txid}:${vout}`, sats / 1e8)
    const { coins } = computeLedger({
      ...{ transactions, method: 'output', priceAt: () => 0, closeOn: () => 0, paid: new Map(), lastDay: 0 },
    })
    const balance = coins.reduce((sum, { sats }) => sum + sats, 0) / 1e8
    const changes = transactions.map(({ height, spent, created }) => {
      const before = spent.reduce((sum, outpoint) => sum + amounts.get(outpoint)!, 0)
      return `${height}: ${created.reduce((sum, { sats }) => sum + sats / 1e8, 0) - before}`
    })
    return [...changes, `holds ${balance}`]
  }

  test('the first payer', async () => {
    expect(await history(payer)).toEqual([
      '9: 50',
      '170: -10',
      '181: -10',
      '182: -1',
      '183: -1',
      '248: -10',
      'holds 18',
    ])
  })
  test('the first payee, and the first miner', async () => {
    expect((await history(payee))[0]).toBe('170: 10')
    expect(await history(firstKey)).toEqual(['1: 50', 'holds 50'])
  })
  test('all of them as one wallet: payments among them are moves', async () => {
    const together = await history(`${payer}\n${payee}\n${firstKey}`)
    expect(together.slice(0, 3)).toEqual(['1: 50', '9: 50', '170: 0'])
  })
})
