import { CoinstrataError } from '#base/errors.ts'

export class FormulaError extends CoinstrataError {
  /** Of the offending character or word, from 1. */
  readonly position: number
  /** Likely intended known name. */
  readonly suggestion: string | undefined

  constructor(problem: string, position: number, options: { suggestion?: string | undefined; cure: string }) {
    const suggestion = options.suggestion === undefined ? '' : `, did you mean '${options.suggestion}'?`
    super('formula_invalid', `${problem} at position ${position}${suggestion}`, { cure: options.cure })
    this.name = 'FormulaError'
    this.position = position
    this.suggestion = options.suggestion
  }
}
