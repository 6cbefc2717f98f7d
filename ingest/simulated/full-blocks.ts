import { CoinstrataError } from '#base/errors.ts'
import { displayHash } from '../chain/bytes.ts'
import { noHash } from '../chain/commitments.ts'
import { networks, subsidySats } from '../chain/networks.ts'
import { type BlockBody, blockBody, buildBlock } from './block.ts'
import { type ChainPlan, type ChainTotals, eventsPerBlock } from './block-storage.ts'
import { blockDay, blockTime } from './calendar.ts'
import { buildCoinbase } from './coinbase.ts'
import type { Coin } from './coins.ts'
import {
  fullBlockDay,
  fullTransactions,
  meanOutputs,
  transactionsPerBlock,
  unknownHeight,
} from './full-transactions.ts'
import { simulatedGenesis } from './genesis.ts'
import { isUnspendable, OutputScripts } from './output-scripts.ts'
import { Random, RandomBytes } from './random.ts'
import { unspentShare } from './spending.ts'
import { type SimulatedTransaction, totalSats } from './transaction.ts'
import { encodeUndo, type SpentOutput } from './undo-record.ts'
import { UnspentByHeight } from './unspent-by-height.ts'

const emptyBody = blockBody([])

const secondsPerBlock = 600

export interface FullBlocksPlan extends ChainPlan {
  readonly bodies: number
  /** Consecutive blocks with the same transactions, except for the coinbase. */
  readonly repeats: number
}

/**
 * Writes a chain that ends in blocks as full as today's. Values, ages and counts are consistent;
 * ids and signatures of inputs are random.
 */
export async function writeFullBlocks(plan: FullBlocksPlan): Promise<ChainTotals> {
  const firstFull = plan.tipHeight + 1 - plan.bodies * plan.repeats
  if (firstFull < 2) {
    throw new CoinstrataError('invalid_argument', `no room for ${plan.bodies * plan.repeats} full blocks`, {
      cure: 'choose a later end of the simulated chain',
    })
  }
  const chain = new FullBlockChain(plan, firstFull)
  for (let height = 1; height <= plan.tipHeight; height++) {
    if (height < firstFull) chain.addSmall(height)
    else chain.addFull(height)
    await plan.storage.store(eventsPerBlock * height)
    plan.onHeight(height)
  }
  await plan.storage.finish(simulatedGenesis().bytes)
  return chain.totals()
}

class FullBlockChain {
  readonly #plan: FullBlocksPlan
  readonly #firstFull: number
  readonly #bytes: RandomBytes
  readonly #scripts: OutputScripts
  readonly #unspent: UnspentByHeight
  #tip = simulatedGenesis()
  #transactions: readonly SimulatedTransaction[] = []
  #body = emptyBody
  #transactionCount = 1
  #inputCount = 0

  constructor(plan: FullBlocksPlan, firstFull: number) {
    this.#plan = plan
    this.#firstFull = firstFull
    this.#bytes = new RandomBytes(plan.seed)
    this.#scripts = new OutputScripts(plan.seed, this.#bytes)
    this.#unspent = new UnspentByHeight(plan.tipHeight + 1)
    this.#store(0, noHash, undefined)
  }

  /** Its outputs are as many as should still be unspent when the full blocks begin. */
  addSmall(height: number): void {
    const outputs = transactionsPerBlock * meanOutputs * unspentShare(this.#firstFull - height)
    this.#add(height, blockDay(height), 1 + Math.ceil(outputs), emptyBody, [])
  }

  addFull(height: number): void {
    if ((height - this.#firstFull) % this.#plan.repeats === 0) {
      const random = new Random(this.#plan.seed, 'body', height)
      this.#transactions = fullTransactions({ height, random, scripts: this.#scripts, bytes: this.#bytes })
      this.#body = blockBody(this.#transactions)
    }
    const random = new Random(this.#plan.seed, 'ages', height)
    const spent = this.#transactions.map((transaction) =>
      transaction.spent.map((output): SpentOutput => {
        const creation = output.height === unknownHeight ? this.#unspent.take(random, height, output.sats) : height
        return { sats: output.sats, script: output.script, height: creation, coinbase: creation < this.#firstFull }
      }),
    )
    this.#add(height, fullBlockDay, 3, this.#body, spent)
    for (const { outputs } of this.#transactions) this.#addUnspent(height, outputs)
    const own = this.#transactions.flatMap(({ spent: coins }) => coins.filter((coin) => coin.height !== unknownHeight))
    this.#unspent.add(height, -own.length, -totalSats(own))
    this.#inputCount += spent.reduce((sum, outputs) => sum + outputs.length, 0)
  }

  totals(): ChainTotals {
    return {
      tipHash: displayHash(this.#tip.hash),
      supplySats: this.#unspent.sats,
      utxoCount: this.#unspent.count,
      transactions: this.#transactionCount,
      inputs: this.#inputCount,
      staleBlocks: 0,
      copies: 0,
    }
  }

  #add(height: number, day: number, outputCount: number, body: BlockBody, spent: readonly SpentOutput[][]): void {
    const { seed } = this.#plan
    const random = new Random(seed, 'full', height)
    const { transaction, outputs } = buildCoinbase({
      height,
      day,
      sats: subsidySats(networks.simulated, height) + body.feeSats,
      outputCount,
      body,
      scripts: this.#scripts,
      bytes: this.#bytes,
      random,
    })
    const previousHash = this.#tip.hash
    const version = 0x2000_0000
    this.#tip = buildBlock({ version, previousHash, time: this.#blockTime(height), coinbase: transaction, body })
    this.#store(height, previousHash, encodeUndo(spent))
    this.#addUnspent(height, outputs)
    this.#transactionCount += 1 + body.transactionCount
  }

  /** Full blocks follow at the real pace, so that days and files hold as many as on mainnet. */
  #blockTime(height: number): number {
    const { seed } = this.#plan
    const last = this.#firstFull - 1
    return height <= last ? blockTime(seed, height) : blockTime(seed, last) + secondsPerBlock * (height - last)
  }

  #store(height: number, previousHash: Uint8Array, undo: Uint8Array | undefined): void {
    const event = eventsPerBlock * height
    this.#plan.storage.add({ bytes: this.#tip.bytes, previousHash, undo, connectionOrder: event, arrivalOrder: event })
  }

  #addUnspent(height: number, outputs: readonly Coin[]): void {
    const spendable = outputs.filter(({ script }) => !isUnspendable(script))
    this.#unspent.add(height, spendable.length, totalSats(spendable))
  }
}
