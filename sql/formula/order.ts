import { CoinstrataError } from '#base/errors.ts'
import { type Formula, parseFormula } from './parse.ts'
import { checkReferences } from './references.ts'

export interface Definition {
  readonly id: string
  readonly formula: string
}

export interface ParsedDefinition {
  readonly id: string
  readonly formula: Formula
}

/**
 * Parses definitions and sorts them topologically, otherwise in the given order. Rejects invalid
 * formulas, unknown or repeated ids, and circular references.
 * @param baseIds metrics with columns instead of formulas
 */
export function orderDefinitions(definitions: readonly Definition[], baseIds: Iterable<string>): ParsedDefinition[] {
  const known = new Set(baseIds)
  for (const { id } of definitions) {
    if (known.has(id)) throw invalid(`metric '${id}' is defined twice`, 'remove one of the two definitions')
    known.add(id)
  }
  const parsed = new Map(definitions.map(({ id, formula }) => [id, parseDefinition(id, formula, known)]))

  const ordered = new Set<ParsedDefinition>()
  const path = new Set<string>()
  const visit = (definition: ParsedDefinition): void => {
    if (ordered.has(definition)) return
    if (path.has(definition.id)) {
      const circle = [...path, definition.id].slice([...path].indexOf(definition.id))
      throw invalid(
        `these formulas refer to each other in a circle: ${circle.join(' → ')}`,
        'define one of them without it',
      )
    }
    path.add(definition.id)
    for (const id of definition.formula.references.keys()) {
      const reference = parsed.get(id)
      if (reference !== undefined) visit(reference)
    }
    path.delete(definition.id)
    ordered.add(definition)
  }
  for (const definition of parsed.values()) visit(definition)
  return [...ordered]
}

function parseDefinition(id: string, text: string, known: ReadonlySet<string>): ParsedDefinition {
  try {
    const formula = parseFormula(text)
    checkReferences(formula, known)
    return { id, formula }
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    throw invalid(`formula of '${id}': ${error.message}`, error.cure, error)
  }
}

function invalid(message: string, cure: string | undefined, cause?: CoinstrataError): CoinstrataError {
  return new CoinstrataError('formula_invalid', message, { ...(cure === undefined ? {} : { cure }), cause })
}
