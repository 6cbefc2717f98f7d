import { FormulaError } from './formula-error.ts'

export interface Token {
  /** `word`: `and`, `or` or `not`. */
  readonly kind: 'number' | 'word' | 'name' | 'symbol' | 'end'
  /** As written, words in lower case; empty at the end. */
  readonly text: string
  /** In the formula's text, from 1. */
  readonly position: number
}

const patterns = [
  { kind: 'number', pattern: /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y },
  { kind: 'word', pattern: /(?:and|or|not)\b/iy },
  { kind: 'name', pattern: /[A-Za-z_]\w*/y },
  { kind: 'symbol', pattern: /[<>=!]=|[-+*/^<>(),]/y },
] as const

/** The last token is `end`. Throws `FormulaError` for a character outside the language. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let index = 0
  while (index < text.length) {
    const token = ' \t\r\n'.includes(text.charAt(index)) ? undefined : readToken(text, index)
    if (token !== undefined) tokens.push(token)
    index += token?.text.length ?? 1
  }
  tokens.push({ kind: 'end', text: '', position: index + 1 })
  return tokens
}

function readToken(text: string, index: number): Token {
  for (const { kind, pattern } of patterns) {
    pattern.lastIndex = index
    const written = pattern.exec(text)?.[0]
    if (written === undefined) continue
    return { kind, text: kind === 'word' ? written.toLowerCase() : written, position: index + 1 }
  }
  throw unexpectedCharacter(text, index)
}

function unexpectedCharacter(text: string, index: number): FormulaError {
  const code = text.codePointAt(index) ?? 0
  const isPrintableAscii = code > 0x20 && code < 0x7f
  const shown = isPrintableAscii ? `'${text[index]}'` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const cure =
    text[index] === '='
      ? 'compare with =='
      : 'a formula is made of metric ids, numbers, + - * / ^, comparisons, and, or, not, parentheses and functions'
  return new FormulaError(`unexpected character ${shown}`, index + 1, { cure })
}
