import { CoinstrataError } from '#base/errors.ts'

/** A formula that cannot be used, with the place in its text. */
export class FormulaError extends CoinstrataError {
  /** Place of the offending character or word in the formula's text; the first character is 1. */
  readonly position: number
  /** The known name that was probably meant. */
  readonly suggestion: string | undefined

  constructor(problem: string, position: number, options: { suggestion?: string | undefined; cure: string }) {
    const suggestion = options.suggestion === undefined ? '' : `, did you mean '${options.suggestion}'?`
    super('formula_invalid', `${problem} at position ${position}${suggestion}`, { cure: options.cure })
    this.name = 'FormulaError'
    this.position = position
    this.suggestion = options.suggestion
  }
}
