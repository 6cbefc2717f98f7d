import { CoinstrataError } from '#base/errors.ts'
import type { ChartSpecification } from '../draw/specification.ts'

/** Tables of drawn values are `csv` and `rows` (JSON); pages draw a `spec`; `remarks` are texts. */
export type RenderFormat = 'svg' | 'png' | 'csv' | 'rows' | 'spec' | 'remarks'

export interface RenderTask {
  readonly specification: ChartSpecification
  readonly format: RenderFormat
  /** Embeds fonts in an SVG for the same look in every browser. */
  readonly embedFont?: boolean
}

/**
 * A file, or characters that all fonts lack: errors lose their code on the way from a render
 * thread.
 */
export type RenderResult = Uint8Array | { readonly characters: readonly string[] }

export function requireFile(drawn: RenderResult): Uint8Array {
  if (drawn instanceof Uint8Array) return drawn
  const { characters } = drawn
  const named = characters.slice(0, 10).join(' ')
  const more = characters.length > 10 ? ` and ${characters.length - 10} more` : ''
  throw new CoinstrataError('invalid_argument', `no font of this machine has the characters ${named}${more}`, {
    cure: 'install a font that has them (docs/charts.md names packages) and restart, leave them out of titles and labels, or request format svg, which viewers show in their own fonts, emoji too',
  })
}
