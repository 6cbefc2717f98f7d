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

/** All that the parts know after a day, by name: what is left of each creation day, and every column up to that day. */
export type PassState = ReadonlyMap<string, Float64Array>

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
export const stateAfter = (parts: PassColumns, day: number, sats: Float64Array, outputs: Float64Array): PassState =>
  new Map([
    ['unspent sats', sats],
    ['unspent outputs', outputs],
    ...columnsOf(parts).map(([name, column]): [string, Float64Array] => [name, column.subarray(0, day + 1)]),
  ])

/** Brings fresh parts to where they were after `day`; the bins of the days until then stay unknown. */
export function restoreState(parts: PassParts, day: number, state: PassState): void {
  const array = (name: string): Float64Array => {
    const found = state.get(name)
    if (!found) throw new Error(`the state of the pass has no ${name}`)
    return found
  }
  for (const [name, column] of columnsOf(parts)) column.set(array(name))
  parts.pass.startAfter(day, array('unspent sats'), array('unspent outputs'))
}

/** Describes the arrays of a state in the order in which `writeState` writes them. */
export const describeState = (state: PassState): [name: string, length: number][] =>
  [...state].map(([name, array]) => [name, array.length])

/** Writes the arrays one after the other. */
export function writeState(file: string, state: PassState): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const { buffer, byteOffset, byteLength } of state.values()) {
      const bytes = new Uint8Array(buffer, byteOffset, byteLength)
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Reads what `writeState` wrote; the arrays are views of one buffer. The file is whole: its checksum was compared. */
export function readState(file: string, description: ReturnType<typeof describeState>): PassState {
  const bytes = readWhole(file)
  const state = new Map<string, Float64Array>()
  let at = 0
  for (const [name, length] of description) {
    const array = new Float64Array(bytes.buffer, at, length)
    state.set(name, array)
    at += array.byteLength
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
