/** A part of a guide: text, or an element with what is in it. */
export type Part = string | Element

export interface Element {
  readonly tag:
    | 'h1'
    | 'h2'
    | 'h3'
    | 'h4'
    | 'p'
    | 'ul'
    | 'ol'
    | 'li'
    | 'pre'
    | 'code'
    | 'strong'
    | 'em'
    | 'a'
    | 'table'
    | 'tr'
    | 'th'
    | 'td'
    | 'blockquote'
    | 'hr'
    | 'br'
  readonly parts: readonly Part[]
  /** Of headings, by which links find them. */
  readonly id?: string
  /** Of links: an address elsewhere, or one of the app, which then begins with a slash or a hash. */
  readonly href?: string
  /** Of cells with numbers. */
  readonly isNumber?: true
}

/** A guide: what a Markdown file of the project says. */
export interface Article {
  readonly title: string
  readonly parts: readonly Part[]
}

/** The text of a part, without its elements. */
export const toText = (part: Part): string => (typeof part === 'string' ? part : part.parts.map(toText).join(''))
