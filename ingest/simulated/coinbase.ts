import { opcodes, script } from 'bitcoinjs-lib'
import { parseDay } from '#base/days.ts'
import { doubleSha256 } from '../chain/bytes.ts'
import { noHash } from '../chain/merkle.ts'
import type { BlockBody } from './block.ts'
import type { Coin } from './coins.ts'
import { drawSpendableType, segwitDay } from './output-eras.ts'
import type { OutputScripts } from './output-scripts.ts'
import type { Random, RandomBytes } from './random.ts'
import {
  type EncodedTransaction,
  encodeTransaction,
  type NewOutput,
  splitSats,
  type TransactionParts,
} from './transaction.ts'

const commitmentTag = Uint8Array.of(0xaa, 0x21, 0xa9, 0xed)
/**
 * Heights with this remainder by 5,000 have a script of maximum spendable size, and a larger one.
 */
const largeScriptsRemainder = 600

export interface CoinbasePlan {
  readonly height: number
  readonly day: number
  readonly sats: number
  readonly outputCount: number
  readonly body: BlockBody
  readonly scripts: OutputScripts
  readonly bytes: RandomBytes
  readonly random: Random
}

export interface Coinbase {
  readonly transaction: EncodedTransaction
  readonly outputs: readonly Coin[]
}

export function buildCoinbase(plan: CoinbasePlan): Coinbase {
  const { height, day, sats, outputCount, body, scripts, bytes, random } = plan
  const outputs: NewOutput[] = []
  let left = sats
  if (height % 5000 === largeScriptsRemainder && sats > 100_000) {
    for (const length of [10_000, 10_001]) {
      const script = bytes.take(random, length).with(0, opcodes.OP_PUSHDATA4)
      outputs.push({ type: 'non-standard', script, sats: 5000 })
      left -= 5000
    }
  }
  for (const part of splitSats(random, left, outputCount)) {
    const type = drawSpendableType(random, day)
    outputs.push({ type, script: scripts.lock(type, random), sats: part })
  }
  // Random bytes give sibling blocks different txids.
  const input = script.compile([script.number.encode(height), bytes.take(random, 12), ...poolTag(height, day)])
  const segwit = day >= segwitDay
  const paid: TransactionParts['outputs'][number][] = [...outputs]
  if (segwit) {
    const commitment = doubleSha256(Buffer.concat([body.witnessRoot, noHash]))
    const committing = script.compile([opcodes.OP_RETURN, Buffer.concat([commitmentTag, commitment])])
    paid.push({ script: committing, sats: 0 })
  }
  const transaction = encodeCoinbase(input, segwit ? [noHash] : [], paid)
  const { txid } = transaction
  return { transaction, outputs: outputs.map((output, index) => ({ ...output, txid, index, height, coinbase: true })) }
}

/** Tags of pools, each with the share of blocks up to its own; the rest has none. */
const poolTags: readonly (readonly [tag: string, upTo: number])[] = [
  ['/Foundry USA Pool #dropgold/', 0.28],
  ['Mined by AntPool', 0.47],
  ['/ViaBTC/', 0.6],
  ['/F2Pool/', 0.71],
  ['SpiderPool/1/', 0.79],
  ['MARA Pool', 0.84],
  ['/SECPOOL/', 0.88],
  ['Powered by Luxor Tech', 0.91],
  ['/slush/', 0.93],
  ['< OCEAN.XYZ >', 0.94],
]
const firstPoolDay = parseDay('2010-12-16')

/** From the height alone: a draw would change all later ones. */
function poolTag(height: number, day: number): Uint8Array[] {
  // Multiples of the golden ratio spread evenly.
  const place = (height * 0.618_033_988_749_895) % 1
  const [tag] = poolTags.find(([, upTo]) => place < upTo) ?? []
  return tag === undefined || day < firstPoolDay ? [] : [Buffer.from(tag)]
}

export const encodeCoinbase = (
  script: Uint8Array,
  witness: readonly Uint8Array[],
  outputs: TransactionParts['outputs'],
): EncodedTransaction =>
  encodeTransaction({
    version: 1,
    locktime: 0,
    outputs,
    inputs: [{ hash: noHash, index: 0xffff_ffff, script, sequence: 0xffff_ffff, witness }],
  })
