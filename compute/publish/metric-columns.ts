import { evaluateFormula, requiredHistory } from '#sql/formula/evaluate.ts'
import type { Formula } from '#sql/formula/parse.ts'

/**
 * Daily columns of metrics, evaluated when first taken and dropped when last taken, for the days
 * needed only.
 */
export class MetricColumns {
  readonly days: number
  readonly #formulas: ReadonlyMap<string, Formula>
  /** Undefined without a value on the days needed. */
  readonly #columns = new Map<string, Float64Array | undefined>()
  readonly #takes = new Map<string, number>()
  /** Number of last days to evaluate, by metric. */
  readonly #needed = new Map<string, number>()

  /**
   * @param base columns of metrics without a formula
   * @param formulas each after those that it refers to
   * @param publications each metric once per table that publishes it
   * @param lastDays number of a metric's last days to publish
   */
  constructor(
    days: number,
    formulas: ReadonlyMap<string, Formula>,
    base: ReadonlyMap<string, Float64Array>,
    publications: Iterable<string>,
    lastDays: (id: string) => number = () => days,
  ) {
    this.days = days
    this.#formulas = formulas
    const count = (id: string): void => {
      this.#takes.set(id, (this.#takes.get(id) ?? 0) + 1)
    }
    const need = (id: string, days: number): void => {
      this.#needed.set(id, Math.min(this.days, Math.max(this.needed(id), days)))
    }
    for (const { references } of formulas.values()) for (const id of references.keys()) count(id)
    for (const id of publications) {
      count(id)
      need(id, lastDays(id))
    }
    for (const [id, formula] of [...formulas].reverse()) {
      if (this.needed(id) === 0) continue
      for (const reference of formula.references.keys()) need(reference, this.needed(id) + requiredHistory(formula))
    }
    for (const [id, column] of base) this.#columns.set(id, lastValues(column, this.needed(id)))
  }

  get columnCount(): number {
    return this.#columns.size
  }

  /** Number of last days of a metric to evaluate. */
  needed(id: string): number {
    return this.#needed.get(id) ?? 0
  }

  /**
   * Returns a metric's values on the last `needed` days, NaN for null; undefined if all are null.
   * Call it once per publication.
   */
  take(id: string): Float64Array | undefined {
    const found = this.#columns.has(id) ? this.#columns.get(id) : this.#evaluate(id)
    const column = found && firstKnown(found) >= 0 ? found : undefined
    const left = this.#takes.get(id)! - 1
    this.#takes.set(id, left)
    if (left > 0) this.#columns.set(id, column)
    else this.#columns.delete(id)
    return column
  }

  #evaluate(id: string): Float64Array {
    const formula = this.#formulas.get(id)
    if (!formula) throw new Error(`metric ${id} has no column`)
    const needed = this.needed(id)
    const days = Math.min(this.days, needed + requiredHistory(formula))
    const operands = new Map([...formula.references.keys()].map((reference) => [reference, this.take(reference)]))
    const lookup = (reference: string): Float64Array | undefined => {
      const operand = operands.get(reference)
      return operand && lastValues(operand, days)
    }
    return lastValues(evaluateFormula(formula, days, lookup, this.days - days), needed)
  }
}

/** Place of the first value that is not null, or -1. */
export function firstKnown(column: Float64Array): number {
  // Several times as fast as `findIndex`.
  for (let i = 0; i < column.length; i++) if (!Number.isNaN(column[i])) return i
  return -1
}

const lastValues = (column: Float64Array, count: number): Float64Array => column.subarray(column.length - count)
