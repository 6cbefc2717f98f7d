import { dayOf } from '#base/days.ts'
import type { Coin } from './coins.ts'
import { drawSpendableType } from './output-eras.ts'
import { isUnspendable, type OutputScripts } from './output-scripts.ts'
import type { Random, RandomBytes } from './random.ts'
import { buildTransaction, type NewOutput, type SimulatedTransaction, splitSats, totalSats } from './transaction.ts'

/** The day whose kinds of output full blocks have. */
export const today = dayOf('2024-04-20')
export const transactionsPerBlock = 3000
const meanInputs = 7 / 3
export const meanOutputs = 8 / 3
/** Share of the inputs that spend outputs of their own block. */
const sameBlockShare = 0.1
/** Stands for the height of an output that is chosen anew for each block that spends it. */
export const unknownHeight = 0

interface FullTransactionsPlan {
  readonly height: number
  readonly random: Random
  readonly scripts: OutputScripts
  readonly bytes: RandomBytes
}

/** The transactions of a block as full as those of today; but for spends within the block, what they spend is made up. */
export function fullTransactions({ height, random, scripts, bytes }: FullTransactionsPlan): SimulatedTransaction[] {
  /** Outputs of this block that its later transactions may spend. */
  const own: Coin[] = []
  return Array.from({ length: transactionsPerBlock }, () => {
    const spent = Array.from({ length: geometric(random, meanInputs) }, () =>
      own.length > 0 && random.chance(sameBlockShare)
        ? own.splice(random.integer(own.length), 1)[0]!
        : madeUpCoin(random, scripts, bytes),
    )
    const outputs = newOutputs(random, scripts, totalSats(spent))
    const transaction = buildTransaction({ height, spent, outputs, scripts, random, segwit: true })
    own.push(...transaction.outputs.filter(({ script }) => !isUnspendable(script)))
    return transaction
  })
}

function madeUpCoin(random: Random, scripts: OutputScripts, bytes: RandomBytes): Coin {
  const type = drawSpendableType(random, today)
  return {
    txid: bytes.take(random, 32),
    index: random.integer(3),
    type,
    script: scripts.lock(type, random),
    sats: Math.ceil(300_000 * Math.exp(2 * random.normal())),
    height: unknownHeight,
    coinbase: false,
  }
}

function newOutputs(random: Random, scripts: OutputScripts, sats: number): NewOutput[] {
  const fee = Math.min(Math.floor(sats / 3), Math.round(2000 * Math.exp(random.normal())))
  const outputs = splitSats(random, sats - fee, geometric(random, meanOutputs)).map((part): NewOutput => {
    const type = drawSpendableType(random, today)
    return { type, script: scripts.lock(type, random), sats: part }
  })
  if (random.chance(0.1)) outputs.push({ type: 'data', script: scripts.lock('data', random), sats: 0 })
  return outputs
}

/** A whole number ≥ 1 with the given mean. */
function geometric(random: Random, mean: number): number {
  let number = 1
  while (random.chance(1 - 1 / mean)) number++
  return number
}
