import { address, networks } from 'bitcoinjs-lib'
import type { Replay } from './replay.ts'

/**
 * The addresses of scripts by bitcoinjs-lib; undefined for bare multisig, OP_RETURN and unknown
 * scripts.
 */
export function addressText(script: Uint8Array): string | undefined {
  const hex = Buffer.from(script).toString('hex')
  const shown = shownAddress(hex)
  // bitcoinjs-lib refuses Taproot keys off the curve, and witness versions without a rule.
  if (shown !== undefined || /^(5[1-9a-f]|60)/.test(hex)) return shown
  try {
    return address.fromOutputScript(script, networks.bitcoin)
  } catch {
    return undefined
  }
}

/** Key hash or script hash of the scripts that have one. */
const hashForms: readonly (readonly [type: string, form: RegExp])[] = [
  ['p2pkh', /^76a914(.{40})88ac$/],
  ['p2sh', /^a914(.{40})87$/],
  ['p2wpkh', /^0014(.{40})$/],
  ['p2wsh', /^0020(.{64})$/],
]

interface Address {
  /** Different for each address. */
  readonly key: string
  readonly type: string
  /** The hash of an address whose output does not show its key or script. */
  readonly lock: string | undefined
}

/**
 * The address of a script by its form, for long chains: `addressText` takes a hundred times as long.
 */
export function addressOfScript(script: Uint8Array): Address | undefined {
  const hex = Buffer.from(script).toString('hex')
  for (const [type, form] of hashForms) {
    const hash = form.exec(hex)?.[1]
    if (hash) return { key: hex, type, lock: type.endsWith('kh') ? `key ${hash}` : hex }
  }
  const key = shownAddress(hex)
  return key === undefined ? undefined : { key, type: shownType(key), lock: undefined }
}

/** The public key, or the witness program of a version without a hash. */
function shownAddress(hex: string): string | undefined {
  const key = /^(?:21(0[23].{64})|41(0[467].{128}))ac$/.exec(hex)
  if (key?.[1]) return key[1]
  // The compressed form of the key.
  if (key?.[2]) return (Number.parseInt(hex.at(-3)!, 16) & 1 ? '03' : '02') + key[2].slice(2, 66)
  const bytes = hex.length / 2
  const isProgram = /^(5[1-9a-f]|60)/.test(hex) && bytes >= 4 && bytes <= 42
  return isProgram && Number.parseInt(hex.slice(2, 4), 16) === bytes - 2 ? hex : undefined
}

function shownType(key: string): string {
  if (/^0[23].{64}$/.test(key)) return 'p2pk'
  if (key === '51024e73') return 'p2a'
  return /^5120.{64}$/.test(key) ? 'p2tr' : 'witness_other'
}

interface Activity {
  readonly sending: Set<string>
  readonly receiving: Set<string>
}

const groups = ['active', 'sending', 'receiving'] as const
type Group = (typeof groups)[number]

/**
 * The rows of `address_days`: distinct addresses of each closed day, of seven days, and of the
 * month so far, with a set for each.
 */
export function replayedActivity({ blocks, closedDays }: Replay): string[][] {
  const days = new Map<number, Activity>()
  for (const { day, height, block, spent } of blocks) {
    if (height === 0) continue
    const { sending, receiving } = days.get(day) ?? { sending: new Set<string>(), receiving: new Set<string>() }
    days.set(day, { sending, receiving })
    const add = (set: Set<string>, script: Uint8Array): void => {
      const found = addressOfScript(script)
      if (found) set.add(found.key)
    }
    for (const { outs } of block.transactions!) for (const { script } of outs) add(receiving, script)
    for (const { script } of spent.flat()) add(sending, script)
  }
  const addDay = (to: Set<string>, day: number, group: Group): void => {
    const found = days.get(day)
    if (group !== 'receiving') for (const one of found?.sending ?? []) to.add(one)
    if (group !== 'sending') for (const one of found?.receiving ?? []) to.add(one)
  }
  const count = (from: number, to: number, group: Group): number => {
    const all = new Set<string>()
    for (let day = from; day <= to; day++) addDay(all, day, group)
    return all.size
  }
  const inMonth = new Map(groups.map((group) => [group, new Set<string>()]))
  return closedDays.map(({ day }) => {
    const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
    if (date.endsWith('-01')) for (const all of inMonth.values()) all.clear()
    return [
      date,
      ...groups.flatMap((group) => {
        const month = inMonth.get(group)!
        addDay(month, day, group)
        return [count(day, day, group), count(day - 6, day, group), month.size].map(String)
      }),
    ]
  })
}

interface Held {
  sats: number
  /** In USD. */
  cost: number
  /** In picodollars per coin × satoshis. */
  paid: bigint
  received: number
  hasSpent: boolean
  lastDay: number
  readonly type: string
  readonly lock: string | undefined
}

const bounds = [
  ['0', 1],
  ['0_001', 1e5],
  ['0_01', 1e6],
  ['0_1', 1e7],
  ['1', 1e8],
  ['10', 1e9],
  ['100', 1e10],
  ['1k', 1e11],
  ['10k', 1e12],
] as const

const bandName = (place: number): string =>
  place === bounds.length - 1 ? '10k_plus' : `${bounds[place]![0]}_to_${bounds[place + 1]![0]}`

/**
 * The measures of `address_balances` on each closed day, by summing over a map of all addresses.
 * `price` and `cost` are the close of a day and what coins created on it cost, in USD by unix day.
 * Days that are not wanted are undefined.
 */
export function replayedBalances(
  { blocks, closedDays }: Replay,
  price: (day: number) => number | undefined,
  cost: (day: number) => number,
  isWanted: (day: number) => boolean = () => true,
): (Map<string, number | null> | undefined)[] {
  const addresses = new Map<string, Held>()
  const shown = new Set<string | undefined>()
  const spenders = new Set<string>()
  const outputs = new Map<string, { readonly of: Address; readonly sats: number; readonly day: number }>()
  let next = 0
  return closedDays.map(({ day, unspent }) => {
    const supply = [...unspent.values()].reduce((sum, { sats }) => sum + sats, 0)
    const before = new Map<string, number>()
    const touched = new Set<string>()
    const created = new Set<string>()
    const change = ({ key, type, lock }: Address, sats: number, createdOn: number): void => {
      const known = addresses.get(key)
      if (!known) created.add(key)
      const held = known ?? {
        sats: 0,
        cost: 0,
        paid: 0n,
        received: 0,
        hasSpent: spenders.has(key),
        lastDay: -1,
        type,
        lock,
      }
      addresses.set(key, held)
      if (!before.has(key)) before.set(key, held.sats)
      touched.add(key)
      held.sats += sats
      held.cost += (sats / 1e8) * cost(createdOn)
      held.paid += BigInt(sats) * inPicodollars(cost(createdOn))
      if (sats > 0) held.received++
    }
    /** A spend without a value changes nothing else. */
    const spend = ({ of, sats, day: createdOn }: { of: Address; sats: number; day: number }): void => {
      if (sats > 0) change(of, -sats, createdOn)
      spenders.add(of.key)
      shown.add(of.lock)
      const held = addresses.get(of.key)
      if (held) held.hasSpent = true
    }
    for (; blocks[next]?.day === day; next++) {
      const { height, block } = blocks[next]!
      for (const transaction of height === 0 ? [] : block.transactions!) {
        for (const { hash, index } of transaction.isCoinbase() ? [] : transaction.ins) {
          const spent = outputs.get(`${Buffer.from(hash).toString('hex')}:${index}`)
          if (spent) spend(spent)
        }
        const id = Buffer.from(transaction.getHash()).toString('hex')
        for (const [index, { script, value }] of transaction.outs.entries()) {
          const of = addressOfScript(script)
          if (!of) continue
          outputs.set(`${id}:${index}`, { of, sats: Number(value), day })
          if (value > 0n) change(of, Number(value), day)
        }
      }
    }
    const events = { newly_funded: 0, emptied: 0, reactivated_1y: 0, reactivated_5y: 0 }
    for (const key of touched) {
      const held = addresses.get(key)!
      const had = before.get(key) ?? 0
      if (had === 0 && held.sats > 0) events.newly_funded++
      if (had > 0 && held.sats === 0) events.emptied++
      if (held.lastDay >= 0 && day - held.lastDay >= 365) events.reactivated_1y++
      if (held.lastDay >= 0 && day - held.lastDay >= 1825) events.reactivated_5y++
      held.lastDay = day
    }
    if (!isWanted(day)) return undefined
    const isShown = ({ lock }: Held): boolean => lock !== undefined && shown.has(lock)
    return measureAddresses([...addresses.values()], isShown, price(day), supply / 1e8, {
      new: created.size,
      ever: addresses.size,
      ...events,
    })
  })
}

/** Exact integers, where sums of `cost` are rounded. */
const inPicodollars = (usd: number): bigint => BigInt(Math.round(usd * 1e12))
const gainOf = ({ sats, paid }: Held, price: number): bigint => BigInt(sats) * inPicodollars(price) - paid

function measureAddresses(
  all: readonly Held[],
  isShown: (held: Held) => boolean,
  price: number | undefined,
  supply: number,
  events: Readonly<Record<string, number>>,
): Map<string, number | null> {
  const measures = new Map<string, number | null>(Object.entries(events))
  const funded = all.filter(({ sats }) => sats > 0)
  const coins = (held: readonly Held[]): number => held.reduce((sum, { sats }) => sum + sats, 0) / 1e8
  for (const [place, [name, bound]] of bounds.entries()) {
    const over = funded.filter(({ sats }) => sats >= bound)
    const band = over.filter(({ sats }) => sats < (bounds[place + 1]?.[1] ?? Number.POSITIVE_INFINITY))
    measures.set(`over_${name}`, over.length)
    measures.set(`supply_over_${name}`, coins(over))
    measures.set(`band_${bandName(place)}`, band.length)
    measures.set(`supply_band_${bandName(place)}`, coins(band))
    const paid = band.reduce((sum, { cost }) => sum + cost, 0)
    const hasPrice = band.length > 0 && price !== undefined
    measures.set(`realized_price_band_${bandName(place)}`, hasPrice ? paid / coins(band) : null)
  }
  for (const [i, name] of ['1', '10', '100', '1k', '10k', '100k', '1m', '10m'].entries()) {
    const reached = price === undefined ? null : funded.filter(({ sats }) => (sats * price) / 1e8 >= 10 ** i).length
    measures.set(`over_${name}_usd`, reached)
  }
  for (const type of ['p2pk', 'p2pkh', 'p2sh', 'p2wpkh', 'p2wsh', 'p2tr', 'p2a', 'witness_other']) {
    measures.set(`type_${type}`, funded.filter((held) => held.type === type).length)
  }
  const gains = price === undefined ? [] : funded.map((held) => gainOf(held, price))
  measures.set('in_profit', price === undefined ? null : gains.filter((gain) => gain > 0n).length)
  measures.set('in_loss', price === undefined ? null : gains.filter((gain) => gain < 0n).length)
  const accumulating = funded.filter(({ received, hasSpent }) => received >= 2 && !hasSpent)
  const exposed = funded.filter(isShown)
  measures.set('accumulating', accumulating.length)
  measures.set('supply_accumulating', coins(accumulating))
  measures.set('operationally_exposed', exposed.length)
  measures.set('supply_operationally_exposed', coins(exposed))
  const sorted = funded.map(({ sats }) => sats / 1e8).sort((a, b) => a - b)
  const total = coins(funded)
  if (sorted.length > 0) {
    const weighted = sorted.reduce((sum, value, i) => sum + (2 * (i + 1) - sorted.length - 1) * value, 0)
    measures.set('gini', weighted / sorted.length / total)
    measures.set('herfindahl', sorted.reduce((sum, value) => sum + value ** 2, 0) / supply ** 2)
    measures.set('median', sorted[Math.ceil(sorted.length / 2) - 1]!)
    const heldByTop = (count: number): number =>
      sorted.toReversed().reduce((sum, value, i) => sum + value * Math.max(0, Math.min(1, count - i)), 0)
    measures.set('top_1_percent', (100 * heldByTop(sorted.length / 100)) / supply)
    measures.set('top_100', (100 * heldByTop(100)) / supply)
  }
  return measures
}
