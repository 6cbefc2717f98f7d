import { FormulaError } from '#sql/formula/formula-error.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import type { CatalogueIndex } from '../data/catalogue.ts'
import type { Search } from '../data/search.ts'

/** `at` is a position from 0. */
export interface Problem {
  readonly at: number
  readonly message: string
  readonly cure: string
}

/**
 * Undefined for empty text, a metric or a valid formula; `search` suggests metrics for unknown
 * names, `others` are names of other formulas.
 */
export function findProblem(
  text: string,
  { metrics, byId }: CatalogueIndex,
  search?: Search,
  others: readonly string[] = [],
): Problem | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || byId.has(trimmed)) return undefined
  try {
    for (const [id, position] of parseFormula(text).references) {
      if (byId.has(id) || others.includes(id)) continue
      const near = search?.(metrics, id, 1).metrics[0]?.id
      const message = `there is no metric '${id}'${near === undefined ? '' : `; did you mean '${near}'?`}`
      return { at: position - 1, message, cure: 'Choose one of the suggestions that appear as you type.' }
    }
    return undefined
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    const meant = /^[\w\s-]+$/.test(text) ? search?.(metrics, text, 1).metrics[0]?.id : undefined
    const cure = meant === undefined ? (error.cure ?? '') : `did you mean '${meant}'?`
    return { at: error.position - 1, message: error.message, cure }
  }
}
