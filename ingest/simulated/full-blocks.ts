import { CoinstrataError } from '#base/errors.ts'
import { networks, subsidySats } from '../chain/networks.ts'
import { type BlockBody, blockBody, buildBlock } from './block.ts'
import { dayOfBlock, timeOf } from './calendar.ts'
import { type ChainPlan, type ChainTotals, eventsPerBlock } from './chain-plan.ts'
import { buildCoinbase } from './coinbase.ts'
import type { Coin } from './coins.ts'
import { fullTransactions, meanOutputs, today, transactionsPerBlock, unknownHeight } from './full-transactions.ts'
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
  /** Different contents of the full blocks. */
  readonly bodies: number
  /** Blocks with the same transactions, apart from the coinbase, that follow each other. */
  readonly repeats: number
}

/**
 * A chain whose last blocks are as full as those of today, and whose earlier ones hold the coinbases that these spend.
 * Values, ages and counts are consistent; the ids and signatures of the inputs are made up. Throws `invalid_argument`
 * where the chain is too short for the full blocks.
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
    this.#store(0, new Uint8Array(32), undefined)
  }

  /** A block of nothing but a coinbase, with as many outputs as the full blocks will find unspent. */
  addSmall(height: number): void {
    const outputs = transactionsPerBlock * meanOutputs * unspentShare(this.#firstFull - height)
    this.#add(height, dayOfBlock(height), 1 + Math.ceil(outputs), emptyBody, [])
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
    this.#add(height, today, 3, this.#body, spent)
    for (const { outputs } of this.#transactions) this.#addUnspent(height, outputs)
    const own = this.#transactions.flatMap((transaction) =>
      transaction.spent.filter((coin) => coin.height !== unknownHeight),
    )
    this.#unspent.add(height, -own.length, -totalSats(own))
    this.#inputCount += spent.reduce((sum, outputs) => sum + outputs.length, 0)
  }

  totals(): ChainTotals {
    return {
      tipHash: Buffer.from(this.#tip.hash).reverse().toString('hex'),
      supplySats: this.#unspent.sats,
      utxoCount: this.#unspent.count,
      transactions: this.#transactionCount,
      inputs: this.#inputCount,
      staleBlocks: 0,
      copies: 0,
    }
  }

  #add(
    height: number,
    day: number,
    outputCount: number,
    body: BlockBody,
    spent: readonly (readonly SpentOutput[])[],
  ): void {
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
    this.#tip = buildBlock({ version, previousHash, time: this.#timeOf(height), coinbase: transaction, body })
    this.#store(height, previousHash, encodeUndo(spent))
    this.#addUnspent(height, outputs)
    this.#transactionCount += 1 + body.transactionCount
  }

  /** Full blocks follow each other as fast as real ones, so that a day and a file hold as many of them. */
  #timeOf(height: number): number {
    const { seed } = this.#plan
    const last = this.#firstFull - 1
    return height <= last ? timeOf(seed, height) : timeOf(seed, last) + secondsPerBlock * (height - last)
  }

  #store(height: number, previousHash: Uint8Array, undo: Uint8Array | undefined): void {
    const event = eventsPerBlock * height
    this.#plan.storage.add({ bytes: this.#tip.bytes, previousHash, undo, connected: event, arrived: event })
  }

  #addUnspent(height: number, outputs: readonly Coin[]): void {
    const spendable = outputs.filter(({ script }) => !isUnspendable(script))
    this.#unspent.add(height, spendable.length, totalSats(spendable))
  }
}
