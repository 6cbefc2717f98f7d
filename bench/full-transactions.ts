import { parseDay } from '#base/days.ts'
import type { Coin } from '#ingest/simulated/coins.ts'
import { drawSpendableType } from '#ingest/simulated/output-eras.ts'
import { isUnspendable, type OutputScripts } from '#ingest/simulated/output-scripts.ts'
import type { Random, RandomBytes } from '#ingest/simulated/random.ts'
import {
  buildTransaction,
  type NewOutput,
  type SimulatedTransaction,
  splitSats,
  totalSats,
} from '#ingest/simulated/transaction.ts'

/** Full blocks have this day's output types. */
export const fullBlockDay = parseDay('2024-04-20')
const transactionsPerBlock = 3000
const meanInputs = 7 / 3
const meanOutputs = 8 / 3
/** Share of inputs that spend their own block's outputs. */
const sameBlockShare = 0.1
/** Placeholder for an output's height, chosen for each block that spends it. */
export const unknownHeight = 0

interface FullTransactionsPlan {
  readonly height: number
  readonly random: Random
  readonly scripts: OutputScripts
  readonly bytes: RandomBytes
}

/** Outputs from other blocks are random. */
export function fullTransactions({ height, random, scripts, bytes }: FullTransactionsPlan): SimulatedTransaction[] {
  const own: Coin[] = []
  return Array.from({ length: transactionsPerBlock }, () => {
    const spent = Array.from({ length: geometric(random, meanInputs) }, () =>
      own.length > 0 && random.chance(sameBlockShare)
        ? own.splice(random.integer(own.length), 1)[0]!
        : randomCoin(random, scripts, bytes),
    )
    const outputs = newOutputs(random, scripts, totalSats(spent))
    const transaction = buildTransaction({ height, spent, outputs, scripts, random, segwit: true })
    own.push(...transaction.outputs.filter(({ script }) => !isUnspendable(script)))
    return transaction
  })
}

function randomCoin(random: Random, scripts: OutputScripts, bytes: RandomBytes): Coin {
  const type = drawSpendableType(random, fullBlockDay)
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
    const type = drawSpendableType(random, fullBlockDay)
    return { type, script: scripts.lock(type, random), sats: part }
  })
  if (random.chance(0.1)) outputs.push({ type: 'data', script: scripts.lock('data', random), sats: 0 })
  return outputs
}

/** A geometrically distributed integer ≥ 1. */
function geometric(random: Random, mean: number): number {
  let number = 1
  while (random.chance(1 - 1 / mean)) number++
  return number
}
