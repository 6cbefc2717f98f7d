import { hash } from 'node:crypto'
import { type FormulaFunction, formulaFunctions } from '#sql/formula/functions.ts'

const window = 5
const created = (value: (i: number) => number): Float64Array => Float64Array.from({ length: 97 }, (_, i) => value(i))
/** Rising and falling values, with a gap, zeros and negative numbers. */
const valueAt = (step: number, i: number): number => (i === 2 * step ? Number.NaN : ((i * step) % 41) / 8 - 2)
const series = created((i) => valueAt(29, i))

/** Changes with what a function of the formula language returns. */
export function functionVersion({
  pointwise,
  cumulative,
  rolling,
}: Omit<FormulaFunction, 'name' | 'signature'>): string {
  const results = [
    pointwise && created((i) => pointwise.apply(valueAt(29, i), valueAt(31, i), valueAt(37, i))),
    cumulative?.(series.slice()),
    rolling?.apply(series.slice(), window, 0),
  ]
  // The last digits of a double may differ between versions of V8.
  const rounded = results.map((values) => values && Array.from(values, (value) => value.toPrecision(9)))
  return hash('sha256', JSON.stringify(rounded)).slice(0, 12)
}

const versions = new Map([...formulaFunctions.values()].map((one) => [one.name, functionVersion(one)]))

/** Versions of the functions that the text of a formula calls. */
export const calledVersions = (formula: string): string[] =>
  [...formula.matchAll(/(\w+)\(/g)].flatMap(([, name = '']) => versions.get(name) ?? [])
