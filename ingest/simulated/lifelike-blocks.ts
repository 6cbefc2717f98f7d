import { parseDay } from '#base/days.ts'
import { displayHash } from '../chain/bytes.ts'
import { noHash } from '../chain/merkle.ts'
import { networks, subsidySats } from '../chain/networks.ts'
import { type BuiltBlock, blockBody, buildBlock } from './block.ts'
import type { BlockStorage } from './block-storage.ts'
import { blockDay, blockTime, genesisDay } from './calendar.ts'
import { buildCoinbase } from './coinbase.ts'
import { Economy } from './economy.ts'
import { simulatedGenesis } from './genesis.ts'
import { OutputScripts } from './output-scripts.ts'
import { Random, RandomBytes } from './random.ts'
import type { SimulatedTransaction } from './transaction.ts'
import { encodeUndo } from './undo-record.ts'

export interface LifelikePlan {
  readonly seed: number
  readonly historySpeed: number
  /** Payments per block, relative to `outputsPerBlock`. */
  readonly density: number
  readonly tipHeight: number
  readonly storage: BlockStorage
  readonly onHeight: (height: number) => void
}

/** Events at a height have numbers from 4 × height on. */
const eventsPerBlock = 4

/**
 * Writes a chain of people who mine, save, pay and lose coins, with every irregularity of real node
 * files. Returns the tip's hash, in display order.
 */
export async function writeLifelikeBlocks(plan: LifelikePlan): Promise<string> {
  const chain = new LifelikeChain(plan)
  for (let height = 1; height <= plan.tipHeight; height++) {
    chain.extend(height)
    await plan.storage.store(eventsPerBlock * height)
    plan.onHeight(height)
  }
  await plan.storage.finish(chain.next().bytes)
  return chain.tipHash
}

class LifelikeChain {
  readonly #plan: LifelikePlan
  readonly #bytes: RandomBytes
  readonly #scripts: OutputScripts
  readonly #economy: Economy
  #tip = simulatedGenesis()

  constructor(plan: LifelikePlan) {
    this.#plan = plan
    this.#bytes = new RandomBytes(plan.seed)
    this.#scripts = new OutputScripts(plan.seed, this.#bytes)
    this.#economy = new Economy(plan.seed, plan.density, this.#scripts)
    const { bytes } = this.#tip
    plan.storage.add({ bytes, previousHash: noHash, undo: undefined, connectionOrder: 0, arrivalOrder: 0 })
  }

  /** Adds a block, and sometimes a stale one. */
  extend(height: number): void {
    const { seed, storage, tipHeight } = this.#plan
    const random = new Random(seed, 'storage', height)
    const transactions = this.#economy.transactions(height, this.#historyDay(height))
    const previousHash = this.#tip.hash
    if (random.chance(0.01) && height + 2 <= tipHeight) this.#fork(random, height, transactions)
    const { block, outputs } = this.#build('block', height, previousHash, transactions)
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

  next(): BuiltBlock {
    return this.#build('next', this.#plan.tipHeight + 1, this.#tip.hash, []).block
  }

  get tipHash(): string {
    return displayHash(this.#tip.hash)
  }

  /** A stale sibling lacks the last transaction, so its undo record does not fit the main block. */
  #fork(random: Random, height: number, transactions: readonly SimulatedTransaction[]): void {
    const fewer = transactions.slice(0, -1)
    const wasConnected = random.chance(0.7)
    const undo = wasConnected ? encodeUndo(fewer.map(({ spent }) => spent)) : undefined
    const stale = this.#build('stale', height, this.#tip.hash, fewer).block
    this.#addStale(stale, this.#tip.hash, undo, eventsPerBlock * height)
    if (wasConnected && random.chance(0.4)) {
      const second = this.#build('stale', height + 1, stale.hash, []).block
      this.#addStale(second, stale.hash, encodeUndo([]), eventsPerBlock * height + 1)
    }
  }

  #addStale(block: BuiltBlock, previousHash: Uint8Array, undo: Uint8Array | undefined, event: number): void {
    this.#plan.storage.add({ bytes: block.bytes, previousHash, undo, connectionOrder: event, arrivalOrder: event })
  }

  #build(purpose: string, height: number, previousHash: Uint8Array, transactions: readonly SimulatedTransaction[]) {
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
    const block = buildBlock({ version: blockVersion(day), previousHash, time, coinbase: coinbase.transaction, body })
    return { block, outputs: coinbase.outputs }
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
