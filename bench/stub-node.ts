import { closeSync, openSync, readSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { Block } from 'bitcoinjs-lib'
import { z } from 'zod'
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

const callsSchema = z.array(z.object({ id: z.int(), method: z.string(), params: z.array(z.unknown()) }))

/** P2WPKH, for all spent outputs. */
const spentScript = `0014${'00'.repeat(20)}`

interface Spent {
  readonly sats: Float64Array
  readonly heights: Uint32Array
}

/** A stub of a node's RPC over the chain in block files, with the calls that following it needs. */
export class StubNode {
  readonly #folder: string
  readonly #stored: StoredChain
  readonly #heights = new Map<string, number>()
  readonly #spent: ReadonlyMap<number, Spent>
  readonly #server = http.createServer((request, response) => void this.#answer(request, response))
  /** JSON of future blocks, prepared so that responses take no time. */
  readonly #prepared = new Map<number, string>()
  #tip: number
  #waiting: (() => void)[] = []

  private constructor(folder: string, stored: StoredChain, spent: ReadonlyMap<number, Spent>, tip: number) {
    this.#folder = folder
    this.#stored = stored
    this.#spent = spent
    this.#tip = tip
    for (let height = 0; height <= stored.chain.tipHeight; height++) this.#heights.set(this.#hash(height), height)
    for (let height = tip + 1; height <= stored.chain.tipHeight; height++) {
      this.#prepared.set(height, JSON.stringify(this.#block(height)))
    }
  }

  /**
   * Serves a chain without its last `later` blocks. `getblock` supports only blocks in `fullFiles`.
   */
  static async start(blocksFolder: string, cacheFolder: string, fullFiles: readonly string[], later: number) {
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
    const node = new StubNode(blocksFolder, stored, spent, stored.chain.tipHeight - later)
    await new Promise<void>((listening) => node.#server.listen(0, '127.0.0.1', listening))
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Returns false after the last block. */
  advance(): boolean {
    if (this.#tip === this.#stored.chain.tipHeight) return false
    this.#tip++
    for (const wake of this.#waiting.splice(0)) wake()
    return true
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const answers: string[] = []
    for (const { id, method, params } of callsSchema.parse(await json(request))) {
      const prepared = method === 'getblock' ? this.#prepared.get(this.#findHeight(params[0])) : undefined
      const result = prepared ?? JSON.stringify(await this.#result(method, params))
      answers.push(`{"id":${id},"error":null,"result":${result}}`)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(`[${answers.join(',')}]`)
  }

  async #result(method: string, [first, second]: readonly unknown[]): Promise<unknown> {
    const tip = { blocks: this.#tip, bestblockhash: this.#hash(this.#tip) }
    switch (method) {
      case 'getblockchaininfo':
        return { ...tip, chain: 'regtest', headers: this.#tip, initialblockdownload: false, pruned: false }
      case 'getchainstates':
        return { chainstates: [{ ...tip, validated: true }] }
      case 'getblockhash':
        return this.#hash(Number(first))
      case 'getblockheader':
        return this.#bytes(this.#findHeight(first), headerBytes).toString('hex')
      case 'getblock':
        return this.#block(this.#findHeight(first))
      case 'waitfornewblock':
        if (second === this.#hash(this.#tip)) await new Promise<void>((wake) => this.#waiting.push(wake))
        return { hash: this.#hash(this.#tip) }
      default:
        throw new Error(`the stub of a node does not know ${method}`)
    }
  }

  #hash(height: number): string {
    return displayHash(hashAt(this.#stored.chain, height))
  }

  #findHeight(hash: unknown): number {
    const height = this.#heights.get(String(hash))
    if (height === undefined) throw new Error(`the stub of a node has no block ${hash}`)
    return height
  }

  #bytes(height: number, maxBytes = Number.POSITIVE_INFINITY): Buffer {
    const { fileNumber, offset, size } = locationAt(this.#stored.locations, height)
    const bytes = Buffer.alloc(Math.min(size, maxBytes))
    const descriptor = openSync(blockFile(this.#folder, fileNumber), 'r')
    try {
      readSync(descriptor, bytes, 0, bytes.length, offset)
    } finally {
      closeSync(descriptor)
    }
    return bytes
  }

  /**
   * Real responses are half as long again because of assembler scripts, which Coinstrata does not
   * read.
   */
  #block(height: number): unknown {
    const bytes = this.#bytes(height)
    const block = Block.fromBuffer(bytes)
    const spent = this.#spent.get(height)!
    let input = 0
    return {
      hash: this.#hash(height),
      height,
      size: bytes.length,
      weight: block.weight(),
      time: block.timestamp,
      bits: block.bits.toString(16).padStart(8, '0'),
      versionHex: bytes.subarray(0, 4).reverse().toString('hex'),
      previousblockhash: this.#hash(height - 1),
      merkleroot: displayHash(block.merkleRoot!),
      nonce: block.nonce,
      tx: block.transactions!.map((transaction, i) => ({
        txid: transaction.getId(),
        hash: displayHash(transaction.getHash(true)),
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
}
