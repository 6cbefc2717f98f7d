export type Part = string | Element

type Block = `h${1 | 2 | 3 | 4}` | 'p' | 'ul' | 'ol' | 'li' | 'pre' | 'blockquote' | 'hr'
type Tag = Block | 'table' | 'tr' | 'th' | 'td' | 'code' | 'strong' | 'em' | 'a' | 'br'

export interface Element {
  readonly tag: Tag
  readonly parts: readonly Part[]
  /** Link target. */
  readonly id?: string
  /** External, or of the app with a leading slash or hash. */
  readonly href?: string
  /** Cells with numbers are right-aligned. */
  readonly isNumber?: true
}

export interface Article {
  readonly title: string
  readonly parts: readonly Part[]
}

export const toText = (part: Part): string => (typeof part === 'string' ? part : part.parts.map(toText).join(''))
