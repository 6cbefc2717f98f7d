import { findClosest } from '#base/suggestions.ts'
import { FormulaError } from './formula-error.ts'
import { type CumulativeOperation, type FormulaFunction, formulaFunctions, type RollingOperation } from './functions.ts'
import {
  comparisonPrecedence,
  invert,
  negate,
  negationPrecedence,
  operators,
  type PointwiseOperation,
  powerPrecedence,
} from './operators.ts'
import { type Token, tokenize } from './tokens.ts'

export interface Formula {
  readonly text: string
  readonly root: FormulaNode
  /** Referenced metric ids in order, with the position of their first mention (from 1). */
  readonly references: ReadonlyMap<string, number>
}

export type FormulaNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'metric'; readonly id: string }
  | (Operation<'pointwise', PointwiseOperation> & { readonly operands: readonly FormulaNode[] })
  | (Operation<'cumulative', CumulativeOperation> & { readonly operand: FormulaNode })
  | (Operation<'rolling', RollingOperation> & {
      readonly operand: FormulaNode
      /** The second series of functions of two, or a share. */
      readonly other?: FormulaNode | undefined
      readonly window: number
      /** Each value depends on all earlier values, despite the window. */
      readonly endless: boolean
    })

interface Operation<Kind extends string, Apply> {
  readonly kind: Kind
  /** Of the function, or the operator as written. */
  readonly name: string
  readonly apply: Apply
}

/** Limits for formulas of untrusted users. Nodes are numbers, metrics, operators and calls. */
export const formulaLimits = { characters: 1_000, nesting: 50, nodes: 200, window: 10_000 } as const

/**
 * Parses numbers, metric ids, + - * / ^, comparisons, and, or, not, parentheses and
 * `formulaFunctions`. ^ is right-associative and binds tighter than unary minus (−2^2 = −4). Throws
 * `FormulaError` with the position.
 */
export function parseFormula(text: string): Formula {
  if (text.length > formulaLimits.characters) {
    const problem = `formula of ${text.length} characters exceeds the limit of ${formulaLimits.characters}`
    throw new FormulaError(problem, formulaLimits.characters + 1, { cure: 'split it into several formulas' })
  }
  return new Parser(text).parse()
}

class Parser {
  readonly #text: string
  readonly #tokens: readonly Token[]
  readonly #references = new Map<string, number>()
  #next = 0
  #nesting = 0
  #nodes = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenize(text)
  }

  parse(): Formula {
    const root = this.#expression(0)
    if (this.#peek().kind !== 'end') throw this.#unexpected(this.#peek(), 'an operator or the end')
    return { text: this.#text, root, references: this.#references }
  }

  /** Parses operators of at least `minPrecedence`. */
  #expression(minPrecedence: number): FormulaNode {
    this.#nesting++
    if (this.#nesting > formulaLimits.nesting) {
      throw this.#overLimit(`formula nested deeper than ${formulaLimits.nesting} levels`, this.#peek())
    }
    let left = this.#operand()
    for (;;) {
      const token = this.#peek()
      const operator = token.kind === 'name' ? undefined : operators.get(token.text)
      if (operator === undefined || operator.precedence < minPrecedence) break
      this.#take()
      const { precedence, apply } = operator
      const right = this.#expression(precedence === powerPrecedence ? precedence : precedence + 1)
      left = this.#node({ kind: 'pointwise', name: token.text, apply, operands: [left, right] }, token)
      if (precedence === comparisonPrecedence) this.#refuseChainedComparison()
    }
    this.#nesting--
    return left
  }

  #operand(): FormulaNode {
    const token = this.#take()
    if (token.kind === 'number') return this.#number(token)
    if (token.kind === 'name') return this.#isAt('(') ? this.#call(token) : this.#metric(token)
    if (token.text === '-') {
      const operand = this.#expression(negationPrecedence)
      return this.#node({ kind: 'pointwise', name: token.text, apply: negate, operands: [operand] }, token)
    }
    if (token.text === 'not') {
      const operand = this.#expression(comparisonPrecedence)
      return this.#node({ kind: 'pointwise', name: token.text, apply: invert, operands: [operand] }, token)
    }
    if (token.text === '(') {
      const inner = this.#expression(0)
      this.#expect(')')
      return inner
    }
    throw this.#unexpected(token, 'a number, metric or function')
  }

  #number(token: Token): FormulaNode {
    const value = Number(token.text)
    if (!Number.isFinite(value)) {
      throw new FormulaError(`number '${token.text}' too large`, token.position, { cure: 'use a number below 1e308' })
    }
    return this.#node({ kind: 'number', value }, token)
  }

  #metric(token: Token): FormulaNode {
    const id = token.text
    if (id.startsWith('_')) {
      const cure = 'metric ids are written in letters, digits and underscores, and begin with a letter'
      throw new FormulaError(`invalid metric id '${id}'`, token.position, { cure })
    }
    if (!this.#references.has(id)) this.#references.set(id, token.position)
    return this.#node({ kind: 'metric', id }, token)
  }

  #call(name: Token): FormulaNode {
    const called = formulaFunctions.get(name.text)
    if (called === undefined) {
      const suggestion = findClosest(name.text, formulaFunctions.keys())
      const cure = `the functions are ${[...formulaFunctions.keys()].join(', ')}`
      throw new FormulaError(`unknown function '${name.text}'`, name.position, { suggestion, cure })
    }
    this.#expect('(')
    const operands: FormulaNode[] = []
    const starts: Token[] = []
    while (operands.length === 0 || this.#isAt(',')) {
      if (operands.length > 0) this.#take()
      starts.push(this.#peek())
      operands.push(this.#expression(0))
    }
    this.#expect(')')
    return this.#node(callNode(called, operands, name, starts), name)
  }

  #node(node: FormulaNode, token: Token): FormulaNode {
    this.#nodes++
    if (this.#nodes > formulaLimits.nodes) {
      throw this.#overLimit(`formula of more than ${formulaLimits.nodes} numbers, metrics and operations`, token)
    }
    return node
  }

  #peek(): Token {
    return this.#tokens[this.#next]!
  }

  #take(): Token {
    const token = this.#peek()
    if (token.kind !== 'end') this.#next++
    return token
  }

  #isAt(symbol: string): boolean {
    return this.#peek().text === symbol
  }

  #expect(symbol: string): void {
    if (!this.#isAt(symbol)) throw this.#unexpected(this.#peek(), `'${symbol}'`)
    this.#take()
  }

  #refuseChainedComparison(): void {
    const token = this.#peek()
    if (operators.get(token.text)?.precedence !== comparisonPrecedence) return
    throw new FormulaError(`chained comparison '${token.text}'`, token.position, {
      cure: 'join two comparisons with and: a < b and b < c',
    })
  }

  #unexpected(token: Token, expected: string): FormulaError {
    const problem = token.kind === 'end' ? 'the formula ends too early' : `unexpected '${token.text}'`
    return new FormulaError(problem, token.position, { cure: `${expected} is expected there` })
  }

  #overLimit(problem: string, token: Token): FormulaError {
    return new FormulaError(problem, token.position, { cure: 'split it into several formulas' })
  }
}

function callNode(
  called: FormulaFunction,
  operands: readonly FormulaNode[],
  start: Token,
  starts: readonly Token[],
): FormulaNode {
  const { name, pointwise, cumulative, rolling, signature } = called
  if (pointwise?.operands === operands.length) return { kind: 'pointwise', name, apply: pointwise.apply, operands }
  const [operand] = operands
  if (operand !== undefined && operands.length === 1 && cumulative !== undefined) {
    return { kind: 'cumulative', name, apply: cumulative, operand }
  }
  const at = rolling?.other === 'series' ? 2 : 1
  const window = operands[at]
  if (operand && window && rolling && operands.length === (rolling.other ? 3 : 2)) {
    const isWindow =
      window.kind === 'number' &&
      Number.isInteger(window.value) &&
      window.value >= rolling.minWindow &&
      window.value <= formulaLimits.window
    const { apply, endless = false } = rolling
    const other = operands[3 - at]
    const isShare = rolling.other !== 'share' || (other?.kind === 'number' && other.value <= 1)
    if (isWindow && isShare) return { kind: 'rolling', name, apply, operand, other, window: window.value, endless }
    const problem = `invalid ${isWindow ? 'share' : 'window'} of ${signature}`
    throw new FormulaError(problem, starts[isWindow ? 2 : at]!.position, {
      cure: isWindow
        ? 'q is a number from 0 to 1'
        : `n is a whole number from ${rolling.minWindow} to ${formulaLimits.window}, written as a number`,
    })
  }
  const count = operands.length === 1 ? '1 operand' : `${operands.length} operands`
  throw new FormulaError(`'${name}' called with ${count}`, start.position, { cure: `call it as ${signature}` })
}
