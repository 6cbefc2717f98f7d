import { CoinstrataError } from '#base/errors.ts'
import type { ChartSpecification } from '../draw/specification.ts'

/** A picture, or what a page draws one of. */
export type RenderFormat = 'svg' | 'png' | 'spec'

export interface RenderTask {
  readonly specification: ChartSpecification
  readonly format: RenderFormat
  /** An SVG brings the characters of its font along, so that it looks the same in every browser. */
  readonly embedFont?: boolean
}

/** Characters that the font of PNGs lacks: they would be boxes. */
interface MissingGlyphs {
  readonly characters: readonly string[]
}

/** What comes back from a render thread, in which errors lose their code: the bytes of a file, or why there are none. */
export type RenderResult = Uint8Array | MissingGlyphs

/** The file that was drawn. Throws `invalid_argument` that names the characters for which there is no font. */
export function requireFile(drawn: RenderResult): Uint8Array {
  if (drawn instanceof Uint8Array) return drawn
  const { characters } = drawn
  const named = characters.slice(0, 10).join(' ')
  const more = characters.length > 10 ? ` and ${characters.length - 10} more` : ''
  throw new CoinstrataError('invalid_argument', `the font of PNG pictures lacks the characters ${named}${more}`, {
    cure: 'write titles and labels without them, or ask for format svg, which viewers show in a font of their own',
  })
}
