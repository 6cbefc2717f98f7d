import { networks, subsidySats } from '../chain/networks.ts'
import { type Coin, Coins } from './coins.ts'
import { drawOutputType, drawSpendableType, segwitDay } from './output-eras.ts'
import { isUnspendable, type OutputScripts } from './output-scripts.ts'
import { sellingPressure } from './price-trend.ts'
import { Random } from './random.ts'
import { drawLifetime, drawMinedLifetime, feeShare, outputsPerBlock } from './spending.ts'
import { buildTransaction, type NewOutput, type SimulatedTransaction, splitSats, totalSats } from './transaction.ts'

/** Share of dormant coins that move per block at maximum selling pressure. */
const maxDormantShare = 0.0008
/** Smaller transactions pay everything to the miner. */
const dustSats = 1000

/** Turns coins due at a height into its block's transactions. */
export class Economy {
  readonly coins = new Coins()
  readonly #seed: number
  readonly #density: number
  readonly #scripts: OutputScripts

  constructor(seed: number, density: number, scripts: OutputScripts) {
    this.#seed = seed
    this.#density = density
    this.#scripts = scripts
  }

  /** Also updates the UTXO set. */
  transactions(height: number, day: number): SimulatedTransaction[] {
    const random = new Random(this.#seed, 'transactions', height)
    const coins = this.coins.spendDue(height)
    coins.push(...this.coins.spendDormant(random, height, maxDormantShare * sellingPressure(day) ** 2))
    const pending = groupCoins(random, coins)
    const outputsTotal = this.#density * outputsPerBlock(day)
    const outputsEach = Math.min(6, Math.max(1, outputsTotal / Math.max(1, pending.length)))
    const feeEach = (feeShare(day) * subsidySats(networks.simulated, height)) / Math.max(1, pending.length)
    const transactions: SimulatedTransaction[] = []
    for (let spent = pending.shift(); spent !== undefined; spent = pending.shift()) {
      const outputs = this.#outputs(random, day, totalSats(spent), outputsEach, feeEach)
      const scripts = this.#scripts
      const transaction = buildTransaction({ height, spent, outputs, scripts, random, segwit: day >= segwitDay })
      transactions.push(transaction)
      for (const coin of transaction.outputs) {
        if (isUnspendable(coin.script)) continue
        const lifetime = drawLifetime(random)
        if (lifetime === 0) pending.push([coin])
        else this.coins.add(coin, height + lifetime)
      }
    }
    return transactions
  }

  addMined(height: number, day: number, outputs: readonly Coin[]): void {
    const random = new Random(this.#seed, 'mined', height)
    for (const coin of outputs) {
      if (!isUnspendable(coin.script)) this.coins.add(coin, height + drawMinedLifetime(random, day))
    }
  }

  #outputs(random: Random, day: number, sats: number, mean: number, meanFee: number): NewOutput[] {
    if (sats < dustSats) return [{ type: 'data', script: this.#scripts.lock('data', random), sats: 0 }]
    const fee = Math.min(Math.floor(sats / 3), Math.round(meanFee * Math.exp(0.8 * random.normal() - 0.32)))
    const parts = splitSats(random, sats - fee, 1 + random.count(mean - 1))
    const outputs = parts.map((part): NewOutput => {
      const type = drawSpendableType(random, day)
      return { type, script: this.#scripts.lock(type, random), sats: part }
    })
    const extra = drawOutputType(random, day)
    if (extra === 'data' || random.chance(0.01)) {
      const burnt = extra === 'data' && random.chance(0.1) ? Math.min(fee, 1 + random.integer(dustSats)) : 0
      outputs.push({ type: extra, script: this.#scripts.lock(extra, random), sats: burnt })
    }
    return outputs
  }
}

function groupCoins(random: Random, coins: Coin[]): Coin[][] {
  for (let i = coins.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[coins[i], coins[j]] = [coins[j]!, coins[i]!]
  }
  const groups: Coin[][] = []
  while (coins.length > 0) {
    const share = random.next()
    groups.push(coins.splice(0, share < 0.6 ? 1 : share < 0.8 ? 2 : share < 0.96 ? 3 + random.integer(3) : 12))
  }
  return groups
}
