import { closeSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { satsPerCoin } from '#base/bitcoin.ts'
import { headerBytes } from '#ingest/chain/block.ts'
import { blockFile, openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { locationAt, type StoredChain } from '#ingest/chain/block-tree.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { type ReceivedCall, startRpcServer } from '#test/support/rpc-server.ts'

/** P2WPKH, for all spent outputs. */
const spentScript = `0014${'00'.repeat(20)}`

interface Spent {
  readonly sats: Float64Array
  readonly heights: Uint32Array
}

/**
 * Stub of a node's RPC over a chain in block files, without its last `later` blocks, with the calls
 * for following it. `getblock` supports only blocks in `fullFiles`.
 */
export async function startStubNode(
  blocksFolder: string,
  cacheFolder: string,
  fullFiles: readonly string[],
  later: number,
) {
  const folder = openBlockFolder(blocksFolder)
  const stored = (await readBlockTree(folder, networks.regtest, cacheFolder)).bestChain()
  const spent = new Map<number, Spent>()
  const reader = new FileUnitReader()
  const units = planFileUnits(folder, networks.regtest, stored)
  for (const unit of units.filter(({ blockFile }) => fullFiles.includes(path.basename(blockFile)))) {
    await reader.read(unit, (height, { spentCount, spentSats, spentHeights }) => {
      spent.set(height, { sats: spentSats.slice(0, spentCount), heights: spentHeights.slice(0, spentCount) })
    })
  }
  const { tipHeight } = stored.chain
  const hash = (height: number): string => displayHash(hashAt(stored.chain, height))
  const heights = new Map(Array.from({ length: tipHeight + 1 }, (_, height) => [hash(height), height]))
  const findHeight = (text: unknown): number => {
    const height = heights.get(String(text))
    if (height === undefined) throw new Error(`the stub of a node has no block ${text}`)
    return height
  }
  const describeBlock = (height: number) =>
    toAnswer(readBytes(blocksFolder, stored, height), height, hash(height), hash(height - 1), spent.get(height)!)
  let tip = tipHeight - later
  const waiting: (() => void)[] = []
  /** JSON of future blocks, so responses take no time. */
  const prepared = new Map<number, string>()
  for (let height = tip + 1; height <= tipHeight; height++) prepared.set(height, JSON.stringify(describeBlock(height)))

  const findResult = async ({ method, params: [first, second] }: ReceivedCall): Promise<unknown> => {
    const state = { blocks: tip, bestblockhash: hash(tip) }
    switch (method) {
      case 'getblockchaininfo':
        return { ...state, chain: 'regtest', headers: tip, initialblockdownload: false, pruned: false }
      case 'getchainstates':
        return { chainstates: [{ ...state, validated: true }] }
      case 'getblockhash':
        return hash(Number(first))
      case 'getblockheader':
        return readBytes(blocksFolder, stored, findHeight(first), headerBytes).toString('hex')
      case 'getblock':
        return describeBlock(findHeight(first))
      case 'waitfornewblock':
        if (second === hash(tip)) await new Promise<void>((wake) => waiting.push(wake))
        return { hash: hash(tip) }
      default:
        throw new Error(`the stub of a node does not know ${method}`)
    }
  }
  const server = await startRpcServer(async (calls) => {
    const answers: string[] = []
    for (const call of calls) {
      const known = call.method === 'getblock' ? prepared.get(findHeight(call.params[0])) : undefined
      const result = known ?? JSON.stringify(await findResult(call))
      answers.push(`{"id":${call.id},"error":null,"result":${result}}`)
    }
    return { status: 200, body: `[${answers.join(',')}]` }
  })
  return {
    ...server,
    /** False after the last block. */
    advance(): boolean {
      if (tip === tipHeight) return false
      tip++
      for (const wake of waiting.splice(0)) wake()
      return true
    },
  }
}

function readBytes(folder: string, { locations }: StoredChain, height: number, maxBytes = Infinity): Buffer {
  const { fileNumber, offset, size } = locationAt(locations, height)
  const bytes = Buffer.alloc(Math.min(size, maxBytes))
  const descriptor = openSync(blockFile(folder, fileNumber), 'r')
  try {
    readSync(descriptor, bytes, 0, bytes.length, offset)
  } finally {
    closeSync(descriptor)
  }
  return bytes
}

/** Real responses are 1.5 times as long: assembler scripts, which Coinstrata does not read. */
function toAnswer(bytes: Buffer, height: number, hash: string, previousHash: string, spent: Spent) {
  const block = Block.fromBuffer(bytes)
  let input = 0
  return {
    hash,
    height,
    size: bytes.length,
    weight: block.weight(),
    time: block.timestamp,
    bits: block.bits.toString(16).padStart(8, '0'),
    versionHex: bytes.subarray(0, 4).reverse().toString('hex'),
    previousblockhash: previousHash,
    merkleroot: displayHash(block.merkleRoot!),
    nonce: block.nonce,
    tx: block.transactions!.map((transaction, i) => ({
      txid: transaction.getId(),
      hash: displayHash(transaction.getHash(true)),
      hex: transaction.toHex(),
      vin: transaction.ins.map(({ hash, index, script, sequence, witness }) => {
        const txinwitness = witness.map((item) => Buffer.from(item).toString('hex'))
        const scriptSig = { hex: Buffer.from(script).toString('hex') }
        if (i === 0) return { coinbase: scriptSig.hex, sequence, txinwitness }
        const [height, value] = [spent.heights[input]!, spent.sats[input]! / satsPerCoin]
        const prevout = { height, value, generated: false, scriptPubKey: { hex: spentScript } }
        input++
        return { txid: displayHash(hash), vout: index, scriptSig, sequence, txinwitness, prevout }
      }),
      vout: transaction.outs.map(({ value, script }, n) => ({
        value: Number(value) / satsPerCoin,
        n,
        scriptPubKey: { hex: Buffer.from(script).toString('hex') },
      })),
    })),
  }
}
