import { IntactReader, writeIntact } from '#sql/intact-file.ts'
import { type CohortColumns, listCohortColumns } from './cohort-pass.ts'
import type { CoinAges } from './coin-ages.ts'
import type { CostDistribution } from './cost-distribution.ts'

/** Results of the passes over days, saved and restored together. */
export interface PassColumns {
  readonly columns: CohortColumns
  readonly costs: CostDistribution
  readonly ages: CoinAges
}

/** Unspent value and outputs by creation day, or within it by group. */
export type Unspent = readonly [sats: Float64Array, outputs: Float64Array]

/**
 * State of all parts after a day, by name: unspent coins of each creation day, and every column up
 * to that day.
 */
export type PassState = ReadonlyMap<string, Float64Array>

function listColumns({ columns, costs, ages }: PassColumns): [string, Float64Array][] {
  return [
    ...listCohortColumns(columns),
    ...[...costs.columns].map(([name, column]): [string, Float64Array] => [`cost ${name}`, column]),
    ...[...ages.columns].map(([name, column]): [string, Float64Array] => [`age ${name}`, column]),
    ['unpriced share', ages.unpricedShare],
  ]
}

/**
 * Captures the state after an earlier day. `unspent` (amounts then) and `cost` are by creation day.
 */
export const captureState = (
  parts: PassColumns,
  cost: Float64Array,
  day: number,
  [sats, outputs]: Unspent,
  [groupSats, groupOutputs]: Unspent,
): PassState =>
  new Map([
    ['unspent sats', sats],
    ['unspent outputs', outputs],
    ['unspent sats by group', groupSats],
    ['unspent outputs by group', groupOutputs],
    ['cost', cost.subarray(0, day + 1)],
    ...listColumns(parts).map(([name, column]): [string, Float64Array] => [name, column.subarray(0, day + 1)]),
  ])

/** A state in a file, with names and lengths of its arrays in order. */
export interface StoredState {
  readonly file: string
  readonly arrays: readonly (readonly [name: string, length: number])[]
}

/** Reads unspent amounts by creation day, and within it by group. */
export const readUnspent = (state: StoredState): [Unspent, Unspent] => [
  [readArray(state, 'unspent sats'), readArray(state, 'unspent outputs')],
  [readArray(state, 'unspent sats by group'), readArray(state, 'unspent outputs by group')],
]

export const readArray = (state: StoredState, name: string): Float64Array => readArrays(state, [{ name, from: 0 }])[0]!

/** Reads the cost of each day's coins up to the day of the state. */
export const readCost = (state: StoredState): Float64Array => readArray(state, 'cost')

/**
 * Fills the columns up to the day of the state, each from the day that `firstNeeded` returns;
 * `undefined` skips it.
 */
export function restoreColumns(
  parts: PassColumns,
  state: StoredState,
  firstNeeded: (column: Float64Array) => number | undefined,
): void {
  const wanted = listColumns(parts).flatMap(([name, column]) => {
    const from = firstNeeded(column)
    return from === undefined ? [] : [{ name, from, column }]
  })
  for (const [i, values] of readArrays(state, wanted).entries()) wanted[i]!.column.set(values, wanted[i]!.from)
}

export const describeState = (state: PassState): [name: string, length: number][] =>
  [...state].map(([name, array]) => [name, array.length])

export const writeState = (file: string, state: PassState): void => writeIntact(file, [...state.values()])

/** Reads arrays of a file of `writeState`, each from an element on. */
function readArrays(
  { file, arrays }: StoredState,
  wanted: readonly { readonly name: string; readonly from: number }[],
): Float64Array[] {
  const places = new Map<string, { readonly at: number; readonly length: number }>()
  let end = 0
  for (const [name, length] of arrays) {
    places.set(name, { at: end, length })
    end += length
  }
  const reader = new IntactReader(file)
  try {
    return wanted.map(({ name, from }) => {
      const place = places.get(name)
      if (!place) throw new Error(`${file} has no ${name}`)
      const first = Math.min(from, place.length)
      return reader.read(new Float64Array(place.length - first), 8 * (place.at + first))
    })
  } finally {
    reader.close()
  }
}
