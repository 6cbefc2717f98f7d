import { evaluateFormula } from '#sql/formula/evaluate.ts'
import type { Formula } from '#sql/formula/parse.ts'

/**
 * The daily columns of metrics. A formula is evaluated when its metric is first taken, and a column is dropped after it
 * has been taken for the last time, so only those that are still needed lie in memory.
 */
export class MetricColumns {
  readonly days: number
  readonly #formulas: ReadonlyMap<string, Formula>
  readonly #columns: Map<string, Float64Array>
  readonly #takes = new Map<string, number>()

  /** `base` has the columns of the metrics without a formula; `publications` names each metric once for every table that it goes to. */
  constructor(
    days: number,
    formulas: ReadonlyMap<string, Formula>,
    base: ReadonlyMap<string, Float64Array>,
    publications: Iterable<string>,
  ) {
    this.days = days
    this.#formulas = formulas
    this.#columns = new Map(base)
    const count = (id: string): void => {
      this.#takes.set(id, (this.#takes.get(id) ?? 0) + 1)
    }
    for (const { references } of formulas.values()) for (const id of references.keys()) count(id)
    for (const id of publications) count(id)
  }

  /** Number of columns in memory. */
  get held(): number {
    return this.#columns.size
  }

  /** The values of a metric by closed day, NaN for null. To be called once for each publication. */
  take(id: string): Float64Array {
    const column = this.#columns.get(id) ?? this.#evaluate(id)
    const left = this.#takes.get(id)! - 1
    this.#takes.set(id, left)
    if (left > 0) this.#columns.set(id, column)
    else this.#columns.delete(id)
    return column
  }

  #evaluate(id: string): Float64Array {
    const formula = this.#formulas.get(id)
    if (!formula) throw new Error(`metric ${id} has no column`)
    const operands = new Map([...formula.references.keys()].map((reference) => [reference, this.take(reference)]))
    return evaluateFormula(formula, this.days, (reference) => operands.get(reference)!)
  }
}
