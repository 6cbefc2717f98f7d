import { findClosest } from '#base/suggestions.ts'
import type { KnownIds } from '#contract/metric-ids.ts'
import { FormulaError } from './formula-error.ts'
import type { Formula } from './parse.ts'

/** Throws `FormulaError` for the first id that is not in `known`. */
export function checkReferences(formula: Formula, known: KnownIds): void {
  for (const [id, position] of formula.references) {
    if (known.has(id)) continue
    const suggestion = known instanceof Set ? findClosest(id, known) : known.suggest?.(id)
    throw new FormulaError(`unknown metric '${id}'`, position, { suggestion, cure: 'use the id of a known metric' })
  }
}
