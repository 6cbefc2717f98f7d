import type { Block } from 'bitcoinjs-lib'

/**
 * The reference for the pipeline: replays a chain block by block with a map of all unspent outputs,
 * and counts those of each creation day as they come and go. It shares no code with the pipeline.
 */

/** Coins of one creation day that one day spent. */
export interface ReplayedFlow {
  spent: Spent
  /** Parts that were younger than an hour and than 24 hours when spent. */
  under1h: Spent
  under24h: Spent
  /** Value and number by kind, as `kindName` has it. */
  readonly byKind: Map<string, Unspent>
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
  readonly block: Block
  /** Coins that each transaction except the coinbase spends. */
  readonly spent: ReadonlyArray<ReadonlyArray<{ readonly sats: number; readonly script: Uint8Array }>>
}

/** A closed day; days and creation days are unix days. */
export interface ReplayedDay {
  readonly day: number
  readonly flows: ReadonlyMap<number, ReplayedFlow>
  /** Created outputs by kind. */
  readonly created: ReadonlyMap<string, Unspent>
  readonly unspent: ReadonlyMap<number, Unspent>
}

interface Coin {
  readonly sats: number
  readonly time: number
  readonly kind: string
  readonly script: Uint8Array
}

export interface Replay {
  readonly blocks: readonly ReplayedBlock[]
  readonly closedDays: readonly ReplayedDay[]
  /** Unspent coins after the last block. */
  readonly tip: Unspent
}

/** All unspent outputs, with their sums by creation day. */
class Coins {
  readonly #coins = new Map<string, Coin>()
  readonly #sums = new Map<number, Unspent>()

  /** Replaces the coin of the same outpoint, as coinbases of the same transaction id do. */
  put(outpoint: string, coin: Coin): void {
    this.take(outpoint)
    this.#coins.set(outpoint, coin)
    const day = dayOfTime(coin.time)
    const sum = this.#sums.get(day) ?? { sats: 0, outputs: 0 }
    sum.sats += coin.sats
    sum.outputs++
    this.#sums.set(day, sum)
  }

  take(outpoint: string): Coin | undefined {
    const coin = this.#coins.get(outpoint)
    if (!coin) return undefined
    this.#coins.delete(outpoint)
    const sum = this.#sums.get(dayOfTime(coin.time))!
    sum.sats -= coin.sats
    sum.outputs--
    return coin
  }

  byCreation(): Map<number, Unspent> {
    const days = [...this.#sums].filter(([, { outputs }]) => outputs > 0)
    return new Map(days.map(([day, sum]) => [day, { ...sum }]))
  }

  /** Counted from the coins themselves. */
  total(): Unspent {
    const total = { sats: 0, outputs: this.#coins.size }
    for (const { sats } of this.#coins.values()) total.sats += sats
    return total
  }
}

const dayOfTime = (time: number): number => Math.floor(time / 86_400)
const nothing = (): Spent => ({ sats: 0, outputs: 0, satSeconds: 0n, outputSeconds: 0 })

/** Replays a chain from genesis, by height. */
export function replay(chain: readonly Block[]): Replay {
  const coins = new Coins()
  const blocks: ReplayedBlock[] = []
  const closedDays: ReplayedDay[] = []
  let flows = new Map<number, ReplayedFlow>()
  let created = new Map<string, Unspent>()
  let latest = 0
  for (const [height, block] of chain.entries()) {
    const before = dayOfTime(latest)
    latest = Math.max(latest, block.timestamp)
    for (let day = before; height > 0 && day < dayOfTime(latest); day++) {
      closedDays.push({ day, flows, created, unspent: coins.byCreation() })
      flows = new Map()
      created = new Map()
    }
    blocks.push(connect(block, height, latest, coins, flows, created))
  }
  return { blocks, closedDays, tip: coins.total() }
}

function connect(
  block: Block,
  height: number,
  time: number,
  coins: Coins,
  flows: Map<number, ReplayedFlow>,
  created: Map<string, Unspent>,
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
  const spent: Coin[][] = []
  for (const [position, transaction] of transactions.entries()) {
    const paid = transaction.outs.reduce((sum, { value }) => sum + Number(value), 0)
    if (position === 0) row.coinbaseSats = paid
    else {
      let taken = 0
      const own: Coin[] = []
      spent.push(own)
      for (const { hash, index } of transaction.ins) {
        const outpoint = `${Buffer.from(hash).reverse().toString('hex')}:${index}`
        const coin = coins.take(outpoint)
        if (!coin) throw new Error(`block ${height} spends ${outpoint}, which is not there`)
        own.push(coin)
        const flow = flowOf(flows, dayOfTime(coin.time))
        addSpent(flow, coin.sats, time - coin.time)
        addTo(flow.byKind, coin.kind, coin.sats)
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
      const kind = kindName(script, sats, position === 0, height)
      addTo(created, kind, sats)
      if (height === 0 || script[0] === 0x6a || script.length > 10_000) {
        row.unspendableSats += sats
        row.unspendableOutputs++
        continue
      }
      coins.put(`${txid}:${index}`, { sats, time, kind, script })
    }
  }
  return { ...row, spentAges, fees, block, spent }
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
  const flow = { spent: nothing(), under1h: nothing(), under24h: nothing(), byKind: new Map() }
  flows.set(created, flow)
  return flow
}

export function addTo(sums: Map<string, Unspent>, kind: string, sats: number): void {
  const sum = sums.get(kind) ?? { sats: 0, outputs: 0 }
  sum.sats += sats
  sum.outputs++
  sums.set(kind, sum)
}

const forms: readonly (readonly [type: string, form: RegExp])[] = [
  ['op_return', /^6a/],
  ['unspendable', /^.{20002,}$/],
  ['p2pkh', /^76a914.{40}88ac$/],
  ['p2sh', /^a914.{40}87$/],
  ['p2wpkh', /^0014.{40}$/],
  ['p2wsh', /^0020.{64}$/],
  ['p2tr', /^5120.{64}$/],
  ['p2a', /^51024e73$/],
  ['p2pk', /^(?:210[23].{64}|410[467].{128})ac$/],
]

/**
 * Whether a coinbase created an output, the type of its script, and the least value of its size,
 * joined by commas.
 */
export function kindName(script: Uint8Array, sats: number, mined: boolean, height: number): string {
  const hex = Buffer.from(script).toString('hex')
  const form = forms.find(([, one]) => one.test(hex))?.[0]
  const type =
    height === 0 ? 'unspendable' : (form ?? (isProgram(hex) ? 'witness_other' : isMultisig(hex) ? 'multisig' : 'other'))
  const least = sats === 0 ? 0 : sats < 1000 ? 1 : Math.min(1e13, Number(`1e${String(sats).length - 1}`))
  return `${mined},${type},${least}`
}

const isProgram = (hex: string): boolean =>
  /^(?:5[1-9a-f]|60)/.test(hex) &&
  hex.length >= 8 &&
  hex.length <= 84 &&
  Number.parseInt(hex.slice(2, 4), 16) === hex.length / 2 - 2

function isMultisig(hex: string): boolean {
  const parts = /^(5[1-9a-f]|60|011[1-4])((?:210[23].{64}|410[467].{128})+)(5[1-9a-f]|60|011[1-4])ae$/.exec(hex)
  if (!parts) return false
  const [needed, keys] = [parts[1]!, parts[3]!].map(
    (one) => Number.parseInt(one.slice(-2), 16) - (one.length === 2 ? 0x50 : 0),
  )
  return needed! <= keys! && (parts[2]!.match(/210[23].{64}|410[467].{128}/g) ?? []).length === keys
}
