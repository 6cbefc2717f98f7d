import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import type { CohortPass } from './cohort-pass.ts'
import type { CoinAges } from './coin-ages.ts'
import type { CostDistribution } from './cost-distribution.ts'

/** What goes over the days together, and is saved and restored together. */
export interface PassParts {
  readonly pass: Pick<CohortPass, 'columns' | 'startAfter'>
  readonly costs: CostDistribution
  readonly ages: CoinAges
}

/** What of them a state is taken from. */
export type PassColumns = Omit<PassParts, 'pass'> & { readonly pass: Pick<CohortPass, 'columns'> }

type StateArray = Float64Array | Int32Array | BigInt64Array

/** All that the parts know after a day, by name: what is left of each creation day, and every column up to that day. */
export type PassState = ReadonlyMap<string, StateArray>

const alignment = 8
const padded = (bytes: number): number => Math.ceil(bytes / alignment) * alignment

/** The columns of all parts by name; their first days are what a state holds of them. */
function columnsOf({ pass, costs, ages }: PassColumns): [string, Float64Array][] {
  return [
    ...[...pass.columns].flatMap(([cohort, measures]) =>
      Object.entries(measures).map(([measure, column]): [string, Float64Array] => [`${measure} ${cohort}`, column]),
    ),
    ...[...costs.columns].map(([name, column]): [string, Float64Array] => [`cost ${name}`, column]),
    ...[...ages.columns].map(([name, column]): [string, Float64Array] => [`age ${name}`, column]),
    ['unpriced share', ages.unpricedShare],
  ]
}

/** The state after a day that lies behind; `sats` and `outputs` are what was unspent then, by creation day. */
export function stateAfter(parts: PassColumns, day: number, sats: Float64Array, outputs: Float64Array): PassState {
  const days = parts.costs.days.filter((one) => one.day <= day)
  const count = days.reduce((sum, { bins }) => sum + bins.length, 0)
  const bins = new Int32Array(count)
  const binSats = new BigInt64Array(count)
  let at = 0
  for (const one of days) {
    bins.set(one.bins, at)
    binSats.set(one.sats, at)
    at += one.bins.length
  }
  return new Map<string, StateArray>([
    ['unspent sats', sats],
    ['unspent outputs', outputs],
    ['days with bins', Int32Array.from(days, (one) => one.day)],
    ['bins of each', Int32Array.from(days, (one) => one.bins.length)],
    ['bins', bins],
    ['sats of bins', binSats],
    ...columnsOf(parts).map(([name, column]): [string, Float64Array] => [name, column.subarray(0, day + 1)]),
  ])
}

/** Brings fresh parts to where they were after `day`. The state is one of such parts. */
export function restoreState(parts: PassParts, day: number, state: PassState): void {
  const array = <Kind extends StateArray>(name: string, kind: new (length: number) => Kind): Kind => {
    const found = state.get(name)
    if (!(found instanceof kind)) throw new Error(`the state of the pass has no ${name}`)
    return found
  }
  for (const [name, column] of columnsOf(parts)) column.set(array(name, Float64Array))
  const [withBins, counts] = [array('days with bins', Int32Array), array('bins of each', Int32Array)]
  const [bins, sats] = [array('bins', Int32Array), array('sats of bins', BigInt64Array)]
  let at = 0
  withBins.forEach((one, i) => {
    const end = at + counts[i]!
    parts.costs.days.push({ day: one, bins: bins.subarray(at, end), sats: sats.subarray(at, end) })
    at = end
  })
  parts.pass.startAfter(day, array('unspent sats', Float64Array), array('unspent outputs', Float64Array))
}

const kinds = { Float64Array, Int32Array, BigInt64Array }
type Kind = keyof typeof kinds

const kindOf = (array: StateArray): Kind =>
  array instanceof Float64Array ? 'Float64Array' : array instanceof Int32Array ? 'Int32Array' : 'BigInt64Array'

/** Describes the arrays of a state in the order in which `writeState` writes them. */
export const describeState = (state: PassState): [name: string, kind: Kind, length: number][] =>
  [...state].map(([name, array]) => [name, kindOf(array), array.length])

/** Writes the arrays one after the other, each at a multiple of eight bytes. */
export function writeState(file: string, state: PassState): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const array of state.values()) {
      const bytes = new Uint8Array(padded(array.byteLength))
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Reads what `writeState` wrote; the arrays are views of one buffer. The file is whole: its checksum was compared. */
export function readState(file: string, description: ReturnType<typeof describeState>): PassState {
  const bytes = readWhole(file)
  const state = new Map<string, StateArray>()
  let at = 0
  for (const [name, kind, length] of description) {
    const array = new kinds[kind](bytes.buffer, at, length)
    state.set(name, array)
    at += padded(array.byteLength)
  }
  return state
}

function readWhole(file: string): Uint8Array<ArrayBuffer> {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = new Uint8Array(fstatSync(descriptor).size)
    for (let read = 0; read < bytes.length; ) {
      const more = readSync(descriptor, bytes, read, bytes.length - read, read)
      if (more === 0) break
      read += more
    }
    return bytes
  } finally {
    closeSync(descriptor)
  }
}
