import { CoinstrataError } from '#base/errors.ts'

export interface RequestProblem {
  /** Invalid field, such as `formulas.0.expression`. */
  readonly parameter: string
  readonly allowed?: readonly string[]
  /** Position in a formula's text, from 1. */
  readonly position?: number
  readonly suggestion?: string
  /** The caller's first visible day, if the chart shows none. */
  readonly first_date?: string
  readonly needed?: string
}

export class ChartRequestError extends CoinstrataError {
  readonly reason: 'invalid_parameter' | 'not_found' | 'insufficient_tier'
  readonly problem: RequestProblem

  constructor(reason: ChartRequestError['reason'], message: string, problem: RequestProblem) {
    super('invalid_argument', message)
    this.name = 'ChartRequestError'
    this.reason = reason
    this.problem = problem
  }
}
