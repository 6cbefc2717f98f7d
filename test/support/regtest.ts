import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { Block, script, Transaction } from 'bitcoinjs-lib'
import { z } from 'zod'
import { networks } from '#ingest/chain/networks.ts'
import type { ChainTip } from '#ingest/chain/node.ts'
import { TestNode } from './bitcoind.ts'
import { buildTransaction, type Coin, type KeyedLock, openLocks, openScript, type Spending, spending } from './coins.ts'
import { fixture } from './fixture.ts'
import { createKeyedWallet } from './keyed-wallet.ts'
import { commitToWitnesses } from './made-chain.ts'
import { Random } from './random.ts'
import { TransactionMaker } from './transaction-maker.ts'

/**
 * Files of 64 KiB, so that the chain fills many pairs, and an index of the supply at every height.
 * Without these wallet settings, waiting for the disk would take most of the time.
 */
const nodeArgs = ['-fastprune', '-coinstatsindex', '-acceptnonstdtxn=1', '-unsafesqlitesync']

const { genesisHash, easiestBits, halvingInterval, initialSubsidySats } = networks.regtest

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The magic of regtest. */
const recordStart = Buffer.from('fabfb5da', 'hex').toString('latin1')

/** Confirmations that a coinbase needs before it can be spent. */
const coinbaseMaturity = 100

/** The first transaction of a block, which begins with its height (BIP34). */
function coinbaseOf(height: number, lock: Uint8Array, sats: number): Transaction {
  const transaction = new Transaction()
  const begin = script.compile([script.number.encode(height), script.number.encode(1_000)])
  transaction.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, begin)
  transaction.addOutput(lock, BigInt(sats))
  // Commits to witnesses even if there are none, as the node's own blocks do.
  transaction.setWitness(0, [new Uint8Array(32)])
  return transaction
}

/** All of a chain but the files of its node. */
interface ChainState {
  /** The random numbers that follow. */
  readonly seed: number
  readonly clock: number
  readonly coins: (readonly Coin[])[]
  readonly hashes: Uint8Array[]
  readonly keyedScripts: Readonly<Record<KeyedLock, Uint8Array>>
}

/**
 * A regtest chain that a real node connects step by step, so that tests can inspect it in between.
 * The same steps create the same chain. A block holds exactly the transactions of its step.
 */
export class RegtestChain {
  readonly node: TestNode
  readonly #keyedScripts: ChainState['keyedScripts']
  readonly #random: Random
  readonly #maker: TransactionMaker
  #clock: number
  /** Spendable coins after each height of the active chain. */
  readonly #coins: (readonly Coin[])[]
  /** Hashes of the active chain by height, in internal byte order. */
  readonly #hashes: Uint8Array[]

  private constructor(node: TestNode, { seed, clock, coins, hashes, keyedScripts }: ChainState) {
    this.node = node
    this.#keyedScripts = keyedScripts
    this.#random = new Random(seed)
    this.#maker = new TransactionMaker(node, keyedScripts, this.#random)
    this.#clock = clock
    this.#coins = coins
    this.#hashes = hashes
  }

  /** Starts a node with the genesis block only; call `stop` in the end. */
  static async start(program: string): Promise<RegtestChain> {
    const node = new TestNode(program, 'regtest')
    await node.start(nodeArgs)
    return new RegtestChain(node, {
      seed: 20_111_102,
      clock: Date.UTC(2011, 1, 3) / 1000,
      coins: [[]],
      hashes: [Buffer.from(genesisHash, 'hex').reverse()],
      keyedScripts: await createKeyedWallet(node),
    })
  }

  /** Ends the node, and copies the chain to a folder. */
  async save(folder: string): Promise<void> {
    await this.node.halt()
    cpSync(this.node.datadir, path.join(folder, 'node'), { recursive: true })
    const state: ChainState = {
      seed: this.#random.state,
      clock: this.#clock,
      coins: this.#coins,
      hashes: this.#hashes,
      keyedScripts: this.#keyedScripts,
    }
    // Coins are compared by identity, which this format keeps.
    writeFileSync(path.join(folder, 'state'), serialize(state))
  }

  /** Starts a node on a copy of a saved chain, which continues as the other would have. */
  static async restore(program: string, folder: string): Promise<RegtestChain> {
    const node = new TestNode(program, 'regtest')
    cpSync(path.join(folder, 'node'), node.datadir, { recursive: true })
    const state: ChainState = deserialize(readFileSync(path.join(folder, 'state')))
    const chain = new RegtestChain(node, state)
    await chain.resume()
    return chain
  }

  async stop(): Promise<void> {
    await this.node.stop()
  }

  /** Restarts the node. */
  async resume(): Promise<void> {
    await this.node.start([...nodeArgs, `-mocktime=${this.#clock}`])
  }

  get height(): number {
    return this.#coins.length - 1
  }

  hashAt(height: number): Promise<string> {
    return this.node.rpc('getblockhash', [height], z.string())
  }

  async tip(): Promise<ChainTip> {
    return { height: this.height, hash: await this.hashAt(this.height) }
  }

  /** The node's number and sum of unspent outputs after the block at `height`. */
  async supplyAt(height: number): Promise<{ outputs: number; sats: number }> {
    const schema = z.object({ txouts: z.int(), total_amount: z.number() })
    const info = await this.node.rpc('gettxoutsetinfo', ['none', height], schema)
    return { outputs: info.txouts, sats: Math.round(info.total_amount * 1e8) }
  }

  /**
   * 900 blocks over some two years: days with many blocks, days without any, and decreasing times.
   */
  async growYears(): Promise<ChainTip> {
    await this.growUntilMature()
    return this.grow(790)
  }

  /** The first 110 blocks, with coinbases only; ten of these are spendable afterwards. */
  async growUntilMature(): Promise<void> {
    for (let i = 0; i < 110; i++) await this.#mine([], hour)
  }

  async grow(
    blocks: number,
    transactions: { fewest: number; most: number } = { fewest: 0, most: 8 },
  ): Promise<ChainTip> {
    for (let i = 0; i < blocks; i++) {
      const count = this.#random.between(transactions.fewest, transactions.most)
      await this.#mine(await this.#maker.transactions(count, this.#spendable(), this.height + 1), this.#gap())
    }
    return this.tip()
  }

  /**
   * Replaces the newest `depth` blocks by one more; the old ones stay as a stale branch with less
   * work.
   */
  async reorganise(depth: number): Promise<ChainTip> {
    const stale = await this.#rollBack(this.height - depth)
    await this.grow(depth + 1)
    await this.node.rpc('reconsiderblock', [stale])
    return this.tip()
  }

  /**
   * Reindexes after a reorganisation. The node connects only the best chain and overwrites undo
   * files from the beginning, so part of a record, records of stale blocks and a second copy of a
   * valid one remain in the file of the stale branch.
   */
  async reindexAfterStaleBranch(): Promise<ChainTip> {
    const files = this.#blockFileCount()
    while (this.#blockFileCount() === files) await this.grow(1)
    // The node truncates an undo file at the highest block of its block file. It never does if that
    // block is stale and most of its successors are in the next file.
    const fork = this.height
    const full = { fewest: 35, most: 45 }
    await this.grow(4, full)
    await this.#rollBack(fork)
    await this.grow(5, full)
    const tip = await this.tip()
    await this.node.restart([...nodeArgs, '-reindex', `-mocktime=${this.#clock}`])
    for (let waits = 0; (await this.node.rpc('getbestblockhash')) !== tip.hash; waits++) {
      if (waits > 600) throw new Error(`the node has not come back to ${tip.hash} within a minute`)
      await sleep(100)
    }
    // Since the restart, the node has written only the undo records of the active chain.
    if (this.#undoRecordCount() <= this.height) throw new Error('no old undo records stayed behind')
    return tip
  }

  /**
   * Connects two siblings one after the other whose undo records both fit the second one, as far as
   * can be checked without the spent outputs. The second stays in the chain. Returns their height.
   */
  async mineSiblings(): Promise<number> {
    const height = this.height + 1
    const filesBefore = this.#blockFileCount()
    const [richer, poorer] = this.#maker.twoCoins(this.#spendable())
    await this.#mine([this.#pay(richer, poorer.sats - 1_000)], hour)
    const stale = await this.#rollBack(height - 1)
    await this.#mine([this.#pay(poorer, poorer.sats - 1_000)], hour)
    const inOneFile = this.#blockFileCount() === filesBefore
    await this.grow(10)
    await this.node.rpc('reconsiderblock', [stale])
    // Undo records can only be confused within one file.
    return inOneFile ? height : this.mineSiblings()
  }

  /** Leaves a branch of six invalidated blocks beside the three that follow its fork. */
  async invalidateMoreWork(): Promise<ChainTip> {
    const fork = this.height
    await this.grow(6)
    await this.#rollBack(fork)
    return this.grow(3)
  }

  #pay(coin: Coin, sats: number): Spending {
    const lock = 'wsh'
    const payments = [{ script: openScript(lock), sats, lock } as const]
    return spending(buildTransaction([coin], payments), [coin], payments, this.height + 1)
  }

  /**
   * Mines a block of these transactions. Every fortieth miner leaves part of the reward unclaimed.
   */
  async #mine(spendings: readonly Spending[], secondsLater: number): Promise<void> {
    this.#clock += secondsLater
    const height = this.height + 1
    const lock = this.#random.pick(openLocks)
    const fees = spendings.reduce((sum, { feeSats }) => sum + feeSats, 0)
    const subsidy = Math.floor(initialSubsidySats / 2 ** Math.floor(height / halvingInterval))
    const sats = subsidy + (height % 40 === 0 ? -12_345 : fees)
    const coinbase = coinbaseOf(height, openScript(lock), sats)
    const block = new Block()
    block.version = 0x2000_0000
    block.prevHash = this.#hashes.at(-1)!
    block.timestamp = this.#clock
    block.bits = easiestBits
    block.transactions = [coinbase, ...spendings.map(({ transaction }) => transaction)]
    commitToWitnesses(block.transactions)
    block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
    while (!block.checkProofOfWork()) block.nonce++
    await this.node.client.batch(
      [
        { method: 'setmocktime', params: [this.#clock] },
        { method: 'submitblock', params: [block.toHex()] },
      ],
      z.tuple([z.null(), z.null()]),
    )
    const spent = new Set(spendings.flatMap((each) => each.spent))
    const made = spendings.flatMap((each) => each.made)
    const rewardCoin: Coin = { txid: coinbase.getId(), index: 0, sats, lock, height, coinbase: true }
    this.#hashes.push(block.getHash())
    this.#coins.push([...(this.#coins.at(-1) ?? []), ...made, rewardCoin].filter((coin) => !spent.has(coin)))
  }

  /** Invalidates the block after `height` and returns its hash. */
  async #rollBack(height: number): Promise<string> {
    const next = await this.hashAt(height + 1)
    await this.node.rpc('invalidateblock', [next])
    this.#coins.length = height + 1
    this.#hashes.length = height + 1
    return next
  }

  #spendable(): Coin[] {
    const next = this.height + 1
    const coins = this.#coins.at(-1) ?? []
    return coins.filter(({ coinbase, height }) => !coinbase || next - height >= coinbaseMaturity)
  }

  #gap(): number {
    const kind = this.#random.next()
    if (kind < 0.05) return -this.#random.between(1, 40 * minute)
    if (kind < 0.3) return this.#random.between(2 * minute, 20 * minute)
    if (kind < 0.65) return this.#random.between(hour, 12 * hour)
    if (kind < 0.9) return this.#random.between(day, 2 * day)
    return this.#random.between(2 * day, 9 * day)
  }

  #blockFileCount(): number {
    return readdirSync(this.node.blocksFolder).filter((name) => name.startsWith('blk')).length
  }

  #undoRecordCount(): number {
    const folder = this.node.blocksFolder
    const key = readFileSync(path.join(folder, 'xor.dat'))
    const names = readdirSync(folder).filter((name) => name.startsWith('rev'))
    return names.reduce((count, name) => {
      const plain = readFileSync(path.join(folder, name)).map((byte, i) => byte ^ key[i % key.length]!)
      return count + Buffer.from(plain).toString('latin1').split(recordStart).length - 1
    }, 0)
  }
}

/** Heights of saved chains, each of which continues the one before. */
const savedHeights = [150, 260, 505] as const

/**
 * The first blocks of the chain, in which coinbases become spendable at 110. They are made once for
 * all test files; call `stop` in the end.
 */
export async function regtestChain(program: string, height: (typeof savedHeights)[number]): Promise<RegtestChain> {
  const folder = await fixture(`regtest-${height}`, async (shared) => {
    const before = savedHeights[savedHeights.indexOf(height) - 1]
    const chain = before ? await regtestChain(program, before) : await RegtestChain.start(program)
    try {
      if (!before) await chain.growUntilMature()
      await chain.grow(height - chain.height)
      await chain.save(shared)
    } finally {
      await chain.stop()
    }
  })
  return RegtestChain.restore(program, folder)
}
