import type { Block } from 'bitcoinjs-lib'
import { mean, type Values } from '#test/sql/formula/naive.ts'
import type { Replay } from '#test/support/replay.ts'
import { chainDays, dayRow } from './priced-chain.ts'

const hour = 3600
const secondsPerDay = 86_400

const zeros = (): number[] => new Array<number>(chainDays).fill(0)

/** Series from blocks alone, by closed day: sums, and the state after the last block. */
export function chainSeries(blocks: readonly Block[], { blocks: replayed }: Replay) {
  const sums = {
    mined: zeros(),
    transactions: zeros(),
    inputs: zeros(),
    outputs: zeros(),
    size: zeros(),
    weight: zeros(),
    fees: zeros(),
    issuance: zeros(),
    work: zeros(),
    opReturn: zeros(),
    segwit: zeros(),
    taproot: zeros(),
    created: zeros(),
  }
  const add = (name: keyof typeof sums, row: number, value: number): void => {
    sums[name][row]! += value
  }
  const height: number[] = []
  const difficulty: number[] = []
  const intervals: number[][] = Array.from({ length: chainDays }, () => [])
  const pools: (string | undefined)[][] = Array.from({ length: chainDays }, () => [])
  for (const block of replayed) {
    const row = dayRow(block.day)
    if (row >= chainDays) break
    const { bits, transactions = [] } = blocks[block.height]!
    add('mined', row, 1)
    add('transactions', row, block.transactions)
    add('inputs', row, block.inputs)
    add('outputs', row, block.outputs)
    add('size', row, block.size)
    add('weight', row, block.weight)
    add('fees', row, block.feesSats)
    add('issuance', row, block.coinbaseSats - block.feesSats)
    add('work', row, Number((2n ** 256n * 10n ** 18n) / (toTarget(bits) + 1n)) / 1e18)
    const coinbase = Buffer.from(transactions[0]!.ins[0]!.script).toString('latin1')
    pools[row]!.push(Object.entries(poolTags).find(([, tag]) => coinbase.includes(tag))?.[0])
    if (block.height > 0) intervals[row]!.push(blocks[block.height]!.timestamp - blocks[block.height - 1]!.timestamp)
    for (const { script, value } of transactions.flatMap(({ outs }) => outs)) {
      add('created', row, Number(value))
      const kind = outputKind(script)
      if (kind) add(kind, row, 1)
    }
    height[row] = block.height
    difficulty[row] = Number(((65_535n << 208n) * 10n ** 30n) / toTarget(bits)) / 1e30
  }
  for (let row = 1; row < chainDays; row++) {
    height[row] ??= height[row - 1]!
    difficulty[row] ??= difficulty[row - 1]!
  }
  const medianInterval = intervals.map((seconds) => (seconds.length === 0 ? null : middle(seconds)))
  return { ...sums, height, difficulty, medianInterval, pools }
}

/** Tags of the pools whose metrics are published; the chain has no others. */
export const poolTags = {
  foundry_usa: 'Foundry USA Pool',
  antpool: 'Mined by AntPool',
  viabtc: '/ViaBTC/',
  f2pool: '/F2Pool/',
  spiderpool: 'SpiderPool',
  mara_pool: 'MARA Pool',
  secpool: '/SECPOOL/',
  luxor: 'Powered by Luxor Tech',
  binance_pool: '/Binance/',
  sbi_crypto: '/SBICrypto.com Pool/',
  braiins_pool: '/slush/',
  ocean: 'OCEAN.XYZ',
} as const

/** The mean of the two in the middle, if their number is even. */
function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}

function toTarget(bits: number): bigint {
  return BigInt(bits & 0x7f_ffff) << BigInt(8 * ((bits >>> 24) - 3))
}

function outputKind(script: Uint8Array): 'opReturn' | 'segwit' | 'taproot' | undefined {
  if (script[0] === 0x6a) return 'opReturn'
  if (script[0] === 0x51 && script[1] === 32 && script.length === 34) return 'taproot'
  const isProgram = script[0] === 0 && script[1] === script.length - 2
  return isProgram && (script.length === 22 || script.length === 34) ? 'segwit' : undefined
}

/**
 * Ages in days of the outputs spent on each closed day at an hour or more, and fees in BTC, as mean
 * and median.
 */
export function spentAgesAndFees({ blocks }: Replay) {
  const ages: number[][] = Array.from({ length: chainDays }, () => [])
  const fees: number[][] = Array.from({ length: chainDays }, () => [])
  const young = zeros()
  for (const block of blocks) {
    const row = dayRow(block.day)
    const old = block.spentAges.filter((age) => age >= hour)
    if (row < chainDays) young[row]! += block.spentAges.length - old.length
    ages[row]?.push(...old.map((age) => age / secondsPerDay))
    fees[row]?.push(...block.fees.map((sats) => sats / 1e8))
  }
  const of = (days: number[][], statistic: (values: number[]) => number): Values =>
    days.map((values) => (values.length === 0 ? null : statistic(values)))
  return { meanAge: of(ages, mean), medianAge: of(ages, lowerMedian), medianFee: of(fees, lowerMedian), young }
}

/** The lowest value that at least half of the values do not exceed. */
function lowerMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1]!
}
