import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { expect } from 'vitest'
import { z } from 'zod'
import { copyFolder } from '#test/support/core-file.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { currentFolder, publishedTable, rowsOf } from '#test/support/published.ts'
import type { RegtestChain } from '#test/support/regtest.ts'
import { replay } from '#test/support/replay.ts'
import { expectReplayed } from '#test/support/replayed-tables.ts'

/** Closes in USD by unix day, from some weeks after the first block on, up and down by turns. */
const prices = new Map(
  Array.from({ length: 3000 }, (_, i) => [15_040 + i, Math.round(100 * (50 + i / 10 + 40 * Math.sin(i / 60))) / 100]),
)

const generationSchema = z.object({
  tip: z.object({ height: z.int(), hash: z.string(), supply_sats: z.int(), utxo_count: z.int() }),
  audit: z.object({ node: z.object({ supply_sats: z.int(), utxo_count: z.int() }).nullable() }),
  notes: z.array(z.string()),
})

const names = ['grown', 'files', 'rpc'] as const

/** Data folders of one chain, with prices, that are brought up to date from different sources. */
export class ReadChain {
  readonly folder = temporaryFolder('regtest')
  readonly chain: RegtestChain
  readonly sources = {
    'files and RPC': () => ['--datadir', this.chain.node.datadir, '--rpc-url', this.chain.node.endpoint.url],
    files: () => ['--blocksdir', this.chain.node.blocksFolder],
    RPC: () => ['--source', 'rpc', ...this.sources['files and RPC']()],
  }
  /** Those of the node that were ever asked for; under its hash a block never changes. */
  readonly #blocks = new Map<string, Block>()

  private constructor(chain: RegtestChain) {
    this.chain = chain
  }

  /** Imports the prices; call `stop` in the end, which stops the node of the chain, too. */
  static async start(chain: RegtestChain): Promise<ReadChain> {
    const read = new ReadChain(chain)
    const priceFile = path.join(read.folder, 'prices.csv')
    const lines = [...prices].map(([day, close]) => {
      return `${new Date(day * 86_400_000).toISOString().slice(0, 10)},${close},${close},${close},${close}`
    })
    writeFileSync(priceFile, ['date,open,high,low,close', ...lines, ''].join('\n'))
    const [first, ...others] = names.map((name) => read.dataDir(name))
    const { exitCode, stderr } = await coinstrata(['import', 'prices', priceFile, '--data-dir', first!])
    expect(exitCode, stderr).toBe(0)
    for (const other of others) copyFolder(first!, other)
    return read
  }

  async stop(): Promise<void> {
    await this.chain.stop()
    rmSync(this.folder, { recursive: true })
  }

  dataDir(name: string): string {
    return path.join(this.folder, name)
  }

  args(source: readonly string[], name: string): string[] {
    return ['--network', 'regtest', '--data-dir', this.dataDir(name), ...source]
  }

  update(source: readonly string[], name: string, ...options: readonly string[]): Promise<Outcome> {
    return coinstrata(['update', ...options, ...this.args(source, name)])
  }

  /** Brings a data folder up to date, and returns how many blocks that had to read. */
  async published(
    source: keyof ReadChain['sources'],
    name: (typeof names)[number],
    ...options: readonly string[]
  ): Promise<number> {
    const { exitCode, stderr, stdout } = await this.update(this.sources[source](), name, ...options)
    expect(exitCode, stderr).toBe(0)
    const tip = await this.chain.tip()
    expect(this.readGeneration(name).tip).toMatchObject(tip)
    return Number(/read +([\d,]+) blocks/.exec(stdout)?.[1]?.replace(',', ''))
  }

  readGeneration(name: string): z.infer<typeof generationSchema> {
    const file = path.join(currentFolder(this.dataDir(name)), 'generation.json')
    return generationSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  }

  async blocksOfNode(): Promise<Block[]> {
    const { client } = this.chain.node
    const heights = Array.from({ length: this.chain.height + 1 }, (_, height) => height)
    const hashes = await client.batch(
      heights.map((height) => ({ method: 'getblockhash', params: [height] })),
      z.array(z.string()),
    )
    const unknown = hashes.filter((hash) => !this.#blocks.has(hash))
    const raw = await client.batch(
      unknown.map((hash) => ({ method: 'getblock', params: [hash, 0] })),
      z.array(z.string()),
    )
    for (const [i, hash] of unknown.entries()) this.#blocks.set(hash, Block.fromHex(raw[i]!))
    return hashes.map((hash) => this.#blocks.get(hash)!)
  }

  /** Expects on each day with blocks the supply that the node counts; returns the number of days. */
  async expectSupplyOfNode(name: string): Promise<number> {
    const rows = await rowsOf(
      `SELECT block_height, supply_sats, utxo_count FROM ${publishedTable(this.dataDir(name), 'days')} WHERE blocks_mined > 0`,
    )
    const answers = await this.chain.node.client.batch(
      rows.map(([height]) => ({ method: 'gettxoutsetinfo', params: ['none', Number(height)] })),
      z.array(z.object({ total_amount: z.number(), txouts: z.int() })),
    )
    expect(rows.map(([, sats, outputs]) => [sats, outputs])).toEqual(
      answers.map(({ total_amount, txouts }) => [String(Math.round(total_amount * 1e8)), String(txouts)]),
    )
    return rows.length
  }

  /** Replaces the newest 8 blocks, `read` them, and expects the tables of a replay without them. */
  async expectReorganised(name: string, read: () => Promise<unknown>): Promise<void> {
    const staleTip = await this.chain.hashAt(this.chain.height)
    await this.chain.reorganise(8)
    await read()
    const [row] = await rowsOf(
      `SELECT count(*) FROM ${publishedTable(this.dataDir(name), 'blocks')} WHERE hash = '${staleTip}'`,
    )
    expect(row).toEqual(['0'])
    await this.expectEqualToReplay(name)
  }

  async expectEqualToReplay(name: string): Promise<void> {
    const replayed = replay(await this.blocksOfNode())
    const { tip } = this.readGeneration(name)
    expect({ sats: tip.supply_sats, outputs: tip.utxo_count }).toEqual(replayed.tip)
    await expectReplayed(this.dataDir(name), replayed, { halvingInterval: 150, prices })
  }
}
