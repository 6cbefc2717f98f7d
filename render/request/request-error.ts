import { CoinstrataError } from '#base/errors.ts'

/** What is told of a wrong request besides its message. */
export interface RequestProblem {
  /** The field at fault, such as `formulas.0.expression`. */
  readonly parameter: string
  readonly allowed?: readonly string[]
  /** Place in the text of a formula, from 1. */
  readonly position?: number
  readonly suggestion?: string
}

/** A chart cannot be made of what was asked for. */
export class ChartRequestError extends CoinstrataError {
  /** Whether something asked for is not there, or the request does not hold. */
  readonly reason: 'invalid_parameter' | 'not_found'
  readonly problem: RequestProblem

  constructor(reason: ChartRequestError['reason'], message: string, problem: RequestProblem) {
    super('invalid_argument', message)
    this.name = 'ChartRequestError'
    this.reason = reason
    this.problem = problem
  }
}
