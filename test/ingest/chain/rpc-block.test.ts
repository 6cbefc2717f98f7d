import { Block, Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { readRpcBlocks } from '#ingest/chain/rpc-block.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { createdIn, spentKindsIn } from '#test/support/kind-names.ts'
import { RegtestChain } from '#test/support/regtest.ts'
import { addTo, kindName, type Unspent } from '#test/support/replay.ts'
import { results, startRpcServer } from '#test/support/rpc-server.ts'

const bitcoind = findBitcoind()

/** The valid part of a decoded block, for comparison. */
function content(block: DecodedBlock) {
  const { time, bits, size, weight, transactionCount, outputCount, spentCount } = block
  const { unspendableSats, unspendableOutputs, opReturnOutputs, segwitOutputs, taprootOutputs } = block
  return {
    time,
    bits,
    size,
    weight,
    transactionCount,
    outputCount,
    spentCount,
    unspendableSats,
    unspendableOutputs,
    opReturnOutputs,
    segwitOutputs,
    taprootOutputs,
    created: createdIn(block),
    inputCounts: [...block.inputCounts.subarray(0, block.transactionCount)],
    outputSats: [...block.outputSats.subarray(0, block.transactionCount)],
    spentSats: [...block.spentSats.subarray(0, block.spentCount)],
    spentHeights: [...block.spentHeights.subarray(0, block.spentCount)],
    spentKinds: spentKindsIn(block),
  }
}

describe.skipIf(!bitcoind)('blocks by RPC from a real node', () => {
  let chain: RegtestChain
  const rawBlocks: string[] = []
  const hashes: string[] = []

  beforeAll(async () => {
    chain = await RegtestChain.start(bitcoind!)
    await chain.growUntilMature()
    await chain.grow(250)
    await chain.grow(1, { fewest: 3, most: 3 })
    for (let height = 0; height <= chain.height; height++) {
      const hash = await chain.hashAt(height)
      hashes.push(hash)
      rawBlocks.push(await chain.node.rpc('getblock', [hash, 0], z.string()))
    }
  })
  afterAll(() => chain?.stop())

  it('are what bitcoinjs-lib and a map of all outputs make of the raw blocks', async () => {
    const outputs = new Map<string, Made>()
    const expected = rawBlocks.map((raw, height) => replay(raw, height, outputs))
    const heights: number[] = []
    const block = new DecodedBlock()
    for await (const height of readRpcBlocks(chain.node.client, [...hashes.keys()], hashes, block)) {
      heights.push(height)
      expect(content(block), `height ${height}`).toEqual(expected[height])
    }
    expect(heights).toEqual([...rawBlocks.keys()])
    // The comparison requires a chain with everything that is counted.
    const sum = (count: (block: ReturnType<typeof replay>) => number) =>
      expected.reduce((total, each) => total + count(each), 0)
    expect(sum(({ spentCount }) => spentCount)).toBeGreaterThan(1_000)
    expect(sum(({ segwitOutputs }) => segwitOutputs)).toBeGreaterThan(100)
    expect(sum(({ taprootOutputs }) => taprootOutputs)).toBeGreaterThan(10)
    expect(sum(({ unspendableSats }) => unspendableSats)).toBeGreaterThan(0)
    expect(sum((each) => each.unspendableOutputs - each.opReturnOutputs)).toBeGreaterThan(0)
    expect(sum((each) => each.spentHeights.filter((from) => from === expected.indexOf(each)).length)).toBeGreaterThan(
      10,
    )
  })

  it('start and end where they are asked to', async () => {
    const heights: number[] = []
    const block = new DecodedBlock()
    for await (const height of readRpcBlocks(chain.node.client, [100, 101, 102], hashes.slice(100, 103), block)) {
      heights.push(height)
      expect(block.size).toBe(rawBlocks[height]!.length / 2)
    }
    expect(heights).toEqual([100, 101, 102])
  })

  it('are refused where the node has no undo for them', async () => {
    // A second block with the same parent and work, which the node stores but does not connect.
    const sibling = Block.fromHex(rawBlocks.at(-1)!)
    sibling.timestamp += 1
    while (!sibling.checkProofOfWork()) sibling.nonce++
    expect(await chain.node.rpc('submitblock', [sibling.toHex()])).toBe('inconclusive')
    const read = readRpcBlocks(chain.node.client, [chain.height], [sibling.getId()], new DecodedBlock()).next()
    await expect(read).rejects.toMatchObject({
      code: 'undo_missing',
      message: expect.stringContaining(`block ${chain.height} (${sibling.getId()})`),
    })
  })
})

describe('blocks by RPC', () => {
  const credentials = { user: 'analyst', password: 'x' }
  const output = { value: 1, scriptPubKey: { hex: '51' } }

  /**
   * A block with a transaction that has one output, and these inputs in the answer; its bytes have
   * one for each.
   */
  function blockWith(vin: readonly unknown[], sats = 1e8) {
    const [coinbase, spending] = [new Transaction(), new Transaction()]
    coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Buffer.of(1, 7))
    coinbase.addOutput(Buffer.of(0x51), BigInt(1e8))
    for (const index of vin.keys()) spending.addInput(Buffer.alloc(32, 9), index)
    spending.addOutput(Buffer.of(0x6a), BigInt(sats))
    const block = new Block()
    block.transactions = [coinbase, spending]
    block.prevHash = Buffer.alloc(32)
    block.bits = 0x1d00ffff
    block.timestamp = 1_300_000_000
    block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
    return {
      hash: block.getId(),
      size: 300,
      time: block.timestamp,
      bits: '1d00ffff',
      nonce: block.nonce,
      versionHex: block.version.toString(16).padStart(8, '0'),
      merkleroot: Buffer.from(block.merkleRoot).reverse().toString('hex'),
      tx: [
        { hex: coinbase.toHex(), vin: [{ coinbase: '00' }] },
        { hex: spending.toHex(), vin: [...vin] },
      ],
    }
  }

  async function readFrom(answer: ReturnType<typeof blockWith>, hash = answer.hash): Promise<DecodedBlock> {
    const block = new DecodedBlock()
    const server = await startRpcServer((calls) => results(calls, () => answer))
    onTestFinished(server.stop)
    const heights: number[] = []
    const client = new RpcClient({ url: server.url, credentials })
    for await (const height of readRpcBlocks(client, [7], [hash], block)) heights.push(height)
    expect(heights).toEqual([7])
    return block
  }

  it('turn every decimal amount into the satoshis that it stands for', async () => {
    const amounts = [
      '0.00000001',
      '0.29000000',
      '1.00000007',
      '8388607.99999999',
      '16777216.00000001',
      '20999999.97690000',
    ]
    const vin = amounts.map((amount) => ({
      prevout: { ...output, generated: false, height: 3, value: Number(amount) },
    }))
    const block = await readFrom(blockWith(vin, 838_860_799_999_999))
    expect([...block.spentSats.subarray(0, block.spentCount)]).toEqual(
      amounts.map((amount) => Number(amount.replace('.', ''))),
    )
    expect(block.unspendableSats).toBe(838_860_799_999_999)
  })

  it('are refused with fewer inputs than their bytes have', async () => {
    const prevout = { ...output, generated: false, height: 3 }
    const answer = blockWith([{ prevout }, { prevout }])
    answer.tx[1]!.vin = [{ prevout }]
    await expect(readFrom(answer)).rejects.toMatchObject({
      code: 'block_corrupt',
      message: expect.stringContaining('lists 1 inputs of transaction 1, which has 2'),
    })
  })

  it('are refused when the node does not know the ages of coins', async () => {
    const answer = blockWith([{ prevout: { ...output, generated: false, height: 0 } }])
    await expect(readFrom(answer)).rejects.toMatchObject({
      code: 'undo_outdated',
      message: expect.stringContaining(`block 7 (${answer.hash})`),
    })
  })

  it('are refused with any byte that the hash does not commit to', async () => {
    const answer = blockWith([{ prevout: { ...output, generated: false, height: 3 } }])
    const [coinbase, spending] = answer.tx
    const refused = (changed: typeof answer, message: string, hash = answer.hash) =>
      expect(readFrom(changed, hash)).rejects.toMatchObject({
        code: 'block_corrupt',
        message: expect.stringContaining(message),
      })
    await refused({ ...answer, nonce: 1 }, 'a header with another hash')
    await refused({ ...answer, time: answer.time + 1 }, 'a header with another hash')
    const otherVersion = `03${spending!.hex.slice(2)}`
    await refused({ ...answer, tx: [coinbase!, { ...spending!, hex: otherVersion }] }, 'other transactions')
    await refused({ ...answer, tx: [coinbase!] }, 'other transactions')
    await refused({ ...answer, tx: [coinbase!, { ...spending!, hex: `${spending!.hex}00` }] }, 'bytes follow')
  })

  it.each([
    ['a negative amount', { prevout: { height: 3, value: -1 } }],
    ['more than all coins', { prevout: { height: 3, value: 21_000_001 } }],
    ['half a height', { prevout: { height: 3.5, value: 1 } }],
    ['a text for an amount', { prevout: { height: 3, value: '1' } }],
  ])('are refused with %s', async (_, input) => {
    const read = readFrom(blockWith([input]))
    await expect(read).rejects.toMatchObject({
      code: 'rpc_failed',
      message: expect.stringContaining('tx.1.vin.0.prevout'),
    })
  })
})

interface Made {
  readonly sats: number
  readonly height: number
  readonly kind: string
}

/** The same block decoded by bitcoinjs-lib; adds its outputs to `outputs`. */
function replay(raw: string, height: number, outputs: Map<string, Made>) {
  const block = Block.fromHex(raw)
  const transactions = block.transactions ?? []
  const spent: Made[] = []
  const byKind = new Map<string, Unspent>()
  for (const [position, transaction] of transactions.entries()) {
    for (const { hash, index } of transaction.isCoinbase() ? [] : transaction.ins) {
      spent.push(outputs.get(`${Buffer.from(hash).toString('hex')}:${index}`)!)
    }
    const id = Buffer.from(transaction.getHash()).toString('hex')
    transaction.outs.forEach(({ value, script }, i) => {
      // Only the scan knows that the output of the genesis block is lost.
      const kind = kindName(script, Number(value), position === 0, 1)
      addTo(byKind, kind, Number(value))
      outputs.set(`${id}:${i}`, { sats: Number(value), height, kind })
    })
  }
  const created = transactions.flatMap((transaction) => transaction.outs)
  const scripts = created.map(({ script }) => script)
  const isOpReturn = (script: Uint8Array) => script[0] === 0x6a
  const unspendable = created.filter(({ script }) => isOpReturn(script) || script.length > 10_000)
  // BIP141: one byte for the version, one for the length of the program.
  const isProgram = (script: Uint8Array, version: number, bytes: number) =>
    script.length === bytes + 2 && script[0] === version && script[1] === bytes
  return {
    time: block.timestamp,
    bits: block.bits,
    size: block.byteLength(),
    weight: block.weight(),
    outputCount: created.length,
    unspendableSats: unspendable.reduce((sum, { value }) => sum + Number(value), 0),
    unspendableOutputs: unspendable.length,
    opReturnOutputs: scripts.filter(isOpReturn).length,
    segwitOutputs: scripts.filter((script) => isProgram(script, 0, 20) || isProgram(script, 0, 32)).length,
    taprootOutputs: scripts.filter((script) => isProgram(script, 0x51, 32)).length,
    transactionCount: transactions.length,
    inputCounts: transactions.map(({ ins }) => ins.length),
    outputSats: transactions.map(({ outs }) => Number(outs.reduce((sum, { value }) => sum + value, 0n))),
    spentCount: spent.length,
    spentSats: spent.map(({ sats }) => sats),
    spentHeights: spent.map((output) => output.height),
    spentKinds: spent.map(({ kind }) => kind),
    created: byKind,
  }
}
