import { findClosest } from '#base/suggestions.ts'
import { FormulaError } from './formula-error.ts'
import type { Formula } from './parse.ts'

/** Throws `FormulaError` for the first id that is not in `known`. */
export function checkReferences(formula: Formula, known: ReadonlySet<string>): void {
  for (const [id, position] of formula.references) {
    if (known.has(id)) continue
    const suggestion = findClosest(id, known)
    throw new FormulaError(`unknown metric '${id}'`, position, { suggestion, cure: 'use the id of a known metric' })
  }
}
