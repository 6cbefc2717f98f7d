import { Piscina } from 'piscina'
import { parseDay } from '#base/days.ts'
import { headerBytes } from '../chain/block.ts'
import { displayHash } from '../chain/bytes.ts'
import { noHash } from '../chain/merkle.ts'
import { networks, subsidySats } from '../chain/networks.ts'
import { assembleBlock, blockBody } from './block.ts'
import type { BlockStorage } from './block-storage.ts'
import { blockDay, blockTime, genesisDay } from './calendar.ts'
import { buildCoinbase } from './coinbase.ts'
import { Economy } from './economy.ts'
import { simulatedGenesis } from './genesis.ts'
import mineHeaders, { type MinedHeaders, type MiningTask } from './miner.ts'
import { OutputScripts } from './output-scripts.ts'
import { Random, RandomBytes } from './random.ts'
import type { SimulatedTransaction } from './transaction.ts'
import { encodeUndo } from './undo-record.ts'

export interface LifelikePlan {
  readonly seed: number
  readonly historySpeed: number
  /** Pays if mining takes seconds. */
  readonly minesInThread: boolean
  readonly tipHeight: number
  readonly storage: BlockStorage
  readonly onHeight: (height: number) => void
}

/** Events at a height have numbers from 4 × height on. */
const eventsPerBlock = 4
/** Heights to mine while the next ones are made. */
const heightsPerTask = 100

interface UnminedBlock {
  /** The parent's `hash` itself. */
  readonly previousHash: Uint8Array
  readonly bytes: Uint8Array
  /** In internal byte order; zero until it is mined. */
  readonly hash: Uint8Array
}

/**
 * Writes a chain of people who mine, save, pay and lose coins, with every irregularity of real node
 * files. Returns the tip's hash, in display order.
 */
export async function writeLifelikeBlocks(plan: LifelikePlan): Promise<string> {
  const { tipHeight, storage, minesInThread, onHeight } = plan
  const chain = new LifelikeChain(plan)
  await using thread = minesInThread
    ? new Piscina<MiningTask, MinedHeaders>({ filename: worker.href, maxThreads: 1 })
    : undefined
  const mine = async (blocks: readonly UnminedBlock[]): Promise<void> => {
    for (const { bytes, previousHash } of blocks) bytes.set(previousHash, 4)
    const headers = Buffer.concat(blocks.map(({ bytes }) => bytes.subarray(0, headerBytes)))
    const hashes = blocks.map(({ hash }) => hash)
    const task = { headers, parents: Int32Array.from(blocks, ({ previousHash }) => hashes.indexOf(previousHash)) }
    const mined = await (thread ? thread.run(task) : mineHeaders(task))
    for (const [i, { bytes, hash }] of blocks.entries()) {
      bytes.set(mined.headers.subarray(headerBytes * i, headerBytes * (i + 1)))
      hash.set(mined.hashes.subarray(32 * i, 32 * (i + 1)))
    }
  }
  let stored = Promise.resolve()
  for (let height = 1; height <= tipHeight; height++) {
    chain.extend(height)
    if (height % heightsPerTask > 0 && height < tipHeight) continue
    await stored
    stored = mine(chain.takeUnmined()).then(async () => {
      await storage.store(eventsPerBlock * height)
      onHeight(height)
    })
  }
  await stored
  const next = chain.next()
  await mine(chain.takeUnmined())
  await storage.finish(next.bytes)
  return chain.tipHash
}

const worker = new URL('./miner.ts', import.meta.url)

class LifelikeChain {
  readonly #plan: LifelikePlan
  readonly #bytes: RandomBytes
  readonly #scripts: OutputScripts
  readonly #economy: Economy
  #unmined: UnminedBlock[] = []
  #tip = this.#addUnmined(undefined, simulatedGenesis())

  constructor(plan: LifelikePlan) {
    this.#plan = plan
    this.#bytes = new RandomBytes(plan.seed)
    this.#scripts = new OutputScripts(plan.seed, this.#bytes)
    this.#economy = new Economy(plan.seed, this.#scripts)
    const { bytes } = this.#tip
    plan.storage.add({ bytes, previousHash: noHash, undo: undefined, connectionOrder: 0, arrivalOrder: 0 })
  }

  /** Adds a block, and sometimes a stale one. */
  extend(height: number): void {
    const { seed, storage, tipHeight } = this.#plan
    const random = new Random(seed, 'storage', height)
    const transactions = this.#economy.transactions(height, this.#historyDay(height))
    const parent = this.#tip
    const previousHash = parent.hash
    if (random.chance(0.01) && height + 2 <= tipHeight) this.#fork(random, height, transactions)
    const { block, outputs } = this.#build('block', height, parent, transactions)
    this.#economy.addMined(height, this.#historyDay(height), outputs)
    this.#tip = block

    const connected = eventsPerBlock * height + 3
    const arrived = connected + (random.chance(0.05) ? eventsPerBlock * (1 + random.integer(12)) : 0)
    const undo = encodeUndo(transactions.map(({ spent }) => spent))
    const copied = random.chance(0.007)
    const copyHasUndo = copied && random.chance(0.5)
    storage.add({
      bytes: block.bytes,
      previousHash,
      undo: copyHasUndo ? undefined : undo,
      connectionOrder: connected,
      arrivalOrder: arrived,
    })
    if (copied) {
      const later = arrived + eventsPerBlock * (1 + random.integer(80))
      storage.add({
        bytes: block.bytes,
        previousHash,
        undo: copyHasUndo ? undo : undefined,
        connectionOrder: connected,
        arrivalOrder: later,
      })
    }
  }

  next(): UnminedBlock {
    return this.#build('next', this.#plan.tipHeight + 1, this.#tip, []).block
  }

  /** Blocks since the last call, each after its parent. */
  takeUnmined(): readonly UnminedBlock[] {
    const taken = this.#unmined
    this.#unmined = []
    return taken
  }

  get tipHash(): string {
    return displayHash(this.#tip.hash)
  }

  /** A stale sibling lacks the last transaction, so its undo record does not fit the main block. */
  #fork(random: Random, height: number, transactions: readonly SimulatedTransaction[]): void {
    const fewer = transactions.slice(0, -1)
    const wasConnected = random.chance(0.7)
    const undo = wasConnected ? encodeUndo(fewer.map(({ spent }) => spent)) : undefined
    const stale = this.#build('stale', height, this.#tip, fewer).block
    this.#addStale(stale, undo, eventsPerBlock * height)
    if (wasConnected && random.chance(0.4)) {
      const second = this.#build('stale', height + 1, stale, []).block
      this.#addStale(second, encodeUndo([]), eventsPerBlock * height + 1)
    }
  }

  #addStale({ bytes, previousHash }: UnminedBlock, undo: Uint8Array | undefined, event: number): void {
    this.#plan.storage.add({ bytes, previousHash, undo, connectionOrder: event, arrivalOrder: event })
  }

  #addUnmined(parent: UnminedBlock | undefined, bytes: Uint8Array): UnminedBlock {
    const block = { previousHash: parent?.hash ?? noHash, bytes, hash: new Uint8Array(32) }
    this.#unmined.push(block)
    return block
  }

  #build(purpose: string, height: number, parent: UnminedBlock, transactions: readonly SimulatedTransaction[]) {
    const { seed } = this.#plan
    const random = new Random(seed, purpose, height)
    const day = this.#historyDay(height)
    const body = blockBody(transactions)
    const coinbase = buildCoinbase({
      height,
      day,
      sats: claimedSats(random, subsidySats(networks.simulated, height), body.feeSats),
      outputCount: day < parseDay('2014-01-01') ? 4 : 3,
      body,
      scripts: this.#scripts,
      bytes: this.#bytes,
      random,
    })
    const time = blockTime(seed, height)
    const bytes = assembleBlock({ version: blockVersion(day), time, coinbase: coinbase.transaction, body })
    return { block: this.#addUnmined(parent, bytes), outputs: coinbase.outputs }
  }

  #historyDay(height: number): number {
    return genesisDay + (blockDay(height) - genesisDay) * this.#plan.historySpeed
  }
}

/** Some miners claim too little, as on mainnet. */
function claimedSats(random: Random, subsidy: number, fees: number): number {
  if (!random.chance(0.008)) return subsidy + fees
  return random.pick([subsidy + fees - 1, subsidy + fees - 1, subsidy, 0])
}

function blockVersion(day: number): number {
  if (day < parseDay('2012-10-01')) return 1
  if (day < parseDay('2015-12-01')) return 2
  return day < parseDay('2016-07-01') ? 4 : 0x2000_0000
}
