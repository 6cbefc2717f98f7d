import type { Block } from 'bitcoinjs-lib'

/**
 * The reference for the pipeline: replays a chain block by block with a map of all unspent outputs, and sums every day
 * over that whole map. It shares no code with the pipeline.
 */

/** Coins of one creation day that one day spent. */
export interface ReplayedFlow {
  spent: Spent
  /** Parts that were younger than an hour and than 24 hours when spent. */
  under1h: Spent
  under24h: Spent
}

interface Spent {
  sats: number
  outputs: number
  satSeconds: bigint
  outputSeconds: number
}

/** Unspent coins of one creation day at the end of a day. */
export interface Unspent {
  sats: number
  outputs: number
}

export interface ReplayedBlock {
  readonly height: number
  readonly hash: string
  readonly time: number
  readonly bits: number
  /** Unix day of the running maximum of header times. */
  readonly day: number
  readonly transactions: number
  readonly inputs: number
  readonly outputs: number
  readonly size: number
  readonly weight: number
  readonly unspendableSats: number
  readonly unspendableOutputs: number
  readonly coinbaseSats: number
  readonly feesSats: number
  readonly spentSats: number
  /** Age of each spent output in seconds. */
  readonly spentAges: readonly number[]
  /** Fee of each transaction except the coinbase, in satoshis. */
  readonly fees: readonly number[]
}

/** A closed day; days and creation days are unix days. */
export interface ReplayedDay {
  readonly day: number
  readonly flows: ReadonlyMap<number, ReplayedFlow>
  readonly unspent: ReadonlyMap<number, Unspent>
}

interface Coin {
  readonly sats: number
  readonly time: number
}

export interface Replay {
  readonly blocks: readonly ReplayedBlock[]
  readonly closedDays: readonly ReplayedDay[]
  /** Unspent coins after the last block. */
  readonly tip: Unspent
}

const dayOfTime = (time: number): number => Math.floor(time / 86_400)
const nothing = (): Spent => ({ sats: 0, outputs: 0, satSeconds: 0n, outputSeconds: 0 })

/** Replays a chain from genesis, by height. */
export function replay(chain: readonly Block[]): Replay {
  const coins = new Map<string, Coin>()
  const blocks: ReplayedBlock[] = []
  const closedDays: ReplayedDay[] = []
  let flows = new Map<number, ReplayedFlow>()
  let latest = 0
  for (const [height, block] of chain.entries()) {
    const before = dayOfTime(latest)
    latest = Math.max(latest, block.timestamp)
    for (let day = before; height > 0 && day < dayOfTime(latest); day++) {
      closedDays.push({ day, flows, unspent: sumByCreation(coins) })
      flows = new Map()
    }
    blocks.push(connect(block, height, latest, coins, flows))
  }
  const tip = { sats: 0, outputs: coins.size }
  for (const { sats } of coins.values()) tip.sats += sats
  return { blocks, closedDays, tip }
}

function connect(
  block: Block,
  height: number,
  time: number,
  coins: Map<string, Coin>,
  flows: Map<number, ReplayedFlow>,
): ReplayedBlock {
  const { transactions } = block
  if (!transactions) throw new Error('a block without transactions')
  const row = {
    height,
    hash: block.getId(),
    time: block.timestamp,
    bits: block.bits,
    day: dayOfTime(time),
    transactions: transactions.length,
    inputs: 0,
    outputs: 0,
    size: block.byteLength(),
    weight: block.weight(),
    unspendableSats: 0,
    unspendableOutputs: 0,
    coinbaseSats: 0,
    feesSats: 0,
    spentSats: 0,
  }
  const spentAges: number[] = []
  const fees: number[] = []
  for (const [position, transaction] of transactions.entries()) {
    const paid = transaction.outs.reduce((sum, { value }) => sum + Number(value), 0)
    if (position === 0) row.coinbaseSats = paid
    else {
      let taken = 0
      for (const { hash, index } of transaction.ins) {
        const outpoint = `${Buffer.from(hash).reverse().toString('hex')}:${index}`
        const coin = coins.get(outpoint)
        if (!coin) throw new Error(`block ${height} spends ${outpoint}, which is not there`)
        coins.delete(outpoint)
        addSpent(flowOf(flows, dayOfTime(coin.time)), coin.sats, time - coin.time)
        spentAges.push(time - coin.time)
        taken += coin.sats
        row.inputs++
      }
      row.spentSats += taken
      row.feesSats += taken - paid
      fees.push(taken - paid)
    }
    const txid = transaction.getId()
    for (const [index, { value, script }] of transaction.outs.entries()) {
      const sats = Number(value)
      row.outputs++
      if (height === 0 || script[0] === 0x6a || script.length > 10_000) {
        row.unspendableSats += sats
        row.unspendableOutputs++
        continue
      }
      coins.set(`${txid}:${index}`, { sats, time })
    }
  }
  return { ...row, spentAges, fees }
}

function addSpent(flow: ReplayedFlow, sats: number, age: number): void {
  const parts = [flow.spent, ...(age < 86_400 ? [flow.under24h] : []), ...(age < 3600 ? [flow.under1h] : [])]
  for (const part of parts) {
    part.sats += sats
    part.outputs++
    part.satSeconds += BigInt(sats) * BigInt(age)
    part.outputSeconds += age
  }
}

function flowOf(flows: Map<number, ReplayedFlow>, created: number): ReplayedFlow {
  const known = flows.get(created)
  if (known) return known
  const flow = { spent: nothing(), under1h: nothing(), under24h: nothing() }
  flows.set(created, flow)
  return flow
}

function sumByCreation(coins: ReadonlyMap<string, Coin>): Map<number, Unspent> {
  const sums = new Map<number, Unspent>()
  for (const { sats, time } of coins.values()) {
    const day = dayOfTime(time)
    const sum = sums.get(day) ?? { sats: 0, outputs: 0 }
    sum.sats += sats
    sum.outputs++
    sums.set(day, sum)
  }
  return sums
}
