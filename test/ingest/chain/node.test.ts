import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { buildHeaderChain, tipHash } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readHeaders, readNodeState, readTxOutSetInfo } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { cookieFile } from '#ingest/chain/rpc-endpoint.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { results, startRpcServer } from '#test/support/rpc-server.ts'

const bitcoind = findBitcoind()
const { mainnet, regtest } = networks
const tipSchema = z.object({ blocks: z.int(), bestblockhash: z.string() })

describe.skipIf(!bitcoind)('a real node', () => {
  let node: TestNode

  beforeAll(async () => {
    node = await startNode(bitcoind!, { args: ['-fastprune', '-prune=1'] })
    await node.rpc('generatetodescriptor', [500, 'raw(51)'])
  })
  afterAll(() => node?.stop())

  async function tip() {
    const { blocks, bestblockhash } = await node.rpc('getblockchaininfo', [], tipSchema)
    return { height: blocks, hash: bestblockhash }
  }

  it('tells the tip, how far it is, and that nothing is missing', async () => {
    expect(await readNodeState(node.client, regtest)).toEqual({
      tip: await tip(),
      headersHeight: 500,
      initialBlockDownload: false,
      firstStored: 0,
      isSnapshotUnvalidated: false,
    })
  })

  it.each(['mainnet', 'testnet3', 'testnet4', 'signet'] as const)(
    'of %s has its first block and its files',
    async (name) => {
      const fresh = await startNode(bitcoind!, { network: name })
      onTestFinished(() => fresh.stop())
      const { tip: first } = await readNodeState(fresh.client, networks[name])
      expect(first).toEqual({ height: 0, hash: networks[name].genesisHash })
      const cache = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-networks-'))
      onTestFinished(() => rmSync(cache, { recursive: true }))
      const tree = await readBlockTree(openBlockFolder(fresh.blocksFolder), networks[name], cache)
      expect(tipHash(tree.bestChain().chain)).toBe(networks[name].genesisHash)
    },
  )

  it('is refused on another network', async () => {
    await expect(readNodeState(node.client, mainnet)).rejects.toMatchObject({
      code: 'wrong_network',
      message: expect.stringContaining('chain "regtest"'),
    })
  })

  it('gives the headers up to a tip, each with its hash', async () => {
    const { headers, hashes } = await readHeaders(node.client, await tip(), 0)
    for (const height of [0, 1, 250, 500]) {
      const hash = await node.rpc('getblockhash', [height], z.string())
      expect(Buffer.from(hashes[height]!).reverse().toString('hex')).toBe(hash)
      const raw = Block.fromHex(await node.rpc('getblock', [hash, 0], z.string()))
      expect(Buffer.from(headers[height]!).toString('hex')).toBe(raw.toHex(true))
    }
    expect(headers).toHaveLength(501)
    expect(tipHash(buildHeaderChain(headers, hashes))).toBe((await tip()).hash)
  })

  it('gives only the headers from the height that is asked for', async () => {
    const { headers, hashes } = await readHeaders(node.client, await tip(), 498)
    const all = await readHeaders(node.client, await tip(), 0)
    expect(headers).toEqual(all.headers.slice(498))
    expect(hashes).toEqual(all.hashes.slice(498))
  })

  it('gives the headers of the pinned tip also after it has left that branch', async () => {
    const pinned = await tip()
    const before = await readHeaders(node.client, pinned, 0)
    const fork = await node.rpc('getblockhash', [498], z.string())
    await node.rpc('invalidateblock', [fork])
    await node.rpc('generatetodescriptor', [4, 'raw(52)'])
    expect((await tip()).height).toBe(501)
    expect(await readHeaders(node.client, pinned, 0)).toEqual(before)
  })

  it('sums its unspent outputs', async () => {
    // Regtest halves the reward every 150 blocks; genesis cannot be spent. Each block adds one
    // output.
    const sats = [
      [149, 50e8],
      [150, 25e8],
      [150, 12.5e8],
      [52, 6.25e8],
    ].reduce((sum, [blocks, reward]) => sum + blocks! * reward!, 0)
    expect(await readTxOutSetInfo(node.client)).toEqual({ tip: await tip(), outputs: 501, sats })
  })

  it('tells the first block that it has once it has pruned blocks', async () => {
    expect(await readNodeState(node.client, regtest)).toMatchObject({ firstStored: 0 })
    // Only whole files go, and never the newest 288 blocks.
    await node.rpc('generatetodescriptor', [500, 'raw(51)'])
    await node.rpc('pruneblockchain', [600])
    const { pruneheight } = await node.rpc('getblockchaininfo', [], z.object({ pruneheight: z.int().positive() }))
    expect(await readNodeState(node.client, regtest)).toMatchObject({ firstStored: pruneheight })
  })
})

describe('a node that started from a snapshot', () => {
  const hashes = { snapshot: 'aa'.repeat(32), background: 'bb'.repeat(32) }

  async function stateWith(chainstates: unknown): Promise<Awaited<ReturnType<typeof readNodeState>>> {
    const blockchain = {
      chain: 'main',
      blocks: 880_100,
      headers: 880_100,
      bestblockhash: hashes.snapshot,
      initialblockdownload: false,
      pruned: false,
    }
    const answers = new Map<string, unknown>([
      ['getblockchaininfo', blockchain],
      ['getblockhash', mainnet.genesisHash],
      ['getchainstates', { headers: 880_100, chainstates }],
    ])
    const server = await startRpcServer((calls) => results(calls, ({ method }) => answers.get(method)))
    onTestFinished(server.stop)
    return readNodeState(new RpcClient({ url: server.url, credentials: { user: 'a', password: 'b' } }), mainnet)
  }

  const background = { blocks: 400_000, bestblockhash: hashes.background, validated: true }
  const active = { blocks: 880_100, bestblockhash: hashes.snapshot, snapshot_blockhash: 'cc'.repeat(32) }

  it('is used as far as it has validated the history itself', async () => {
    expect(await stateWith([background, { ...active, validated: false }])).toMatchObject({
      tip: { height: 400_000, hash: hashes.background },
      isSnapshotUnvalidated: true,
    })
  })

  it('is used whole when the history is validated', async () => {
    expect(await stateWith([{ ...active, validated: true }])).toMatchObject({
      tip: { height: 880_100, hash: hashes.snapshot },
      isSnapshotUnvalidated: false,
    })
  })
})

describe('the cookie file', () => {
  it('lies in the folder of the network', () => {
    expect(cookieFile('/node', mainnet)).toBe(path.join('/node', '.cookie'))
    expect(cookieFile('/node', regtest)).toBe(path.join('/node', 'regtest', '.cookie'))
  })
})
