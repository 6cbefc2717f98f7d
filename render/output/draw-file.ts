import { readFileSync } from 'node:fs'
import { CoinstrataError } from '#root/errors.ts'
import { drawChart } from '../draw/chart.ts'
import { fontFace, fontFile, fontPartOf } from '../draw/inter.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import type { FontWeight } from '../draw/text.ts'
import { nodePlatform, serializeSvg } from './node-platform.ts'
import { convertToPng } from './png.ts'
import { writeSpecification } from './write-specification.ts'

/** A picture, or what a page draws one of. */
export type RenderFormat = 'svg' | 'png' | 'spec'

export interface RenderTask {
  readonly specification: ChartSpecification
  readonly format: RenderFormat
  /** An SVG brings the characters of its font along, so that it looks the same in every browser. */
  readonly embedFont?: boolean
}

/** Characters that the font of PNGs lacks: they would be boxes. */
interface Undrawable {
  readonly characters: readonly string[]
}

/** What comes back from a render thread, in which errors lose their code: the bytes of a file, or why there are none. */
export type DrawnFile = Uint8Array | Undrawable

/** Draws one chart into a file. */
export async function drawFile({ specification, format, embedFont = false }: RenderTask): Promise<DrawnFile> {
  if (format === 'spec') return Buffer.from(writeSpecification(specification))
  const { svg } = drawChart(specification, nodePlatform)
  const characters = charactersOf(svg)
  if (format === 'png') {
    const foreign = characters.filter(({ isKnown }) => !isKnown).map(({ character }) => character)
    if (foreign.length > 0) return { characters: [...new Set(foreign)] }
    return convertToPng(serializeSvg(svg), specification.pixelRatio)
  }
  if (embedFont) svg.prepend(styleOf(svg, characters))
  return Buffer.from(serializeSvg(svg))
}

/** The file that was drawn. Throws `invalid_argument` that names the characters for which there is no font. */
export function requireFile(drawn: DrawnFile): Uint8Array {
  if (drawn instanceof Uint8Array) return drawn
  const { characters } = drawn
  const named = characters.slice(0, 10).join(' ')
  const more = characters.length > 10 ? ` and ${characters.length - 10} more` : ''
  throw new CoinstrataError('invalid_argument', `the font of PNG pictures lacks the characters ${named}${more}`, {
    cure: 'write titles and labels without them, or ask for format svg, which viewers show in a font of their own',
  })
}

interface DrawnCharacter {
  readonly character: string
  readonly codePoint: number
  readonly weight: FontWeight
  readonly isKnown: boolean
}

function charactersOf(svg: SVGSVGElement): DrawnCharacter[] {
  return [...svg.querySelectorAll('text')].flatMap((text) => {
    const weight = text.getAttribute('font-weight') === '600' ? 600 : 400
    return [...(text.textContent ?? '')].map((character) => {
      const codePoint = character.codePointAt(0) ?? 0
      return { character, codePoint, weight, isKnown: nodePlatform.widths[weight](codePoint) !== undefined }
    })
  })
}

/** The rules that hold the files of the font, those that the texts need. */
function styleOf(svg: SVGSVGElement, characters: readonly DrawnCharacter[]): Element {
  const rules = new Map<string, string>()
  for (const { codePoint, weight, isKnown } of characters) {
    const part = fontPartOf(codePoint)
    const file = fontFile(weight, part)
    if (!isKnown || rules.has(file)) continue
    const base64 = readFileSync(new URL(`../fonts/${file}`, import.meta.url)).toString('base64')
    rules.set(file, fontFace(weight, part, `data:font/woff2;base64,${base64}`))
  }
  const style = svg.ownerDocument.createElementNS('http://www.w3.org/2000/svg', 'style')
  style.textContent = [...rules.values()].join('\n')
  return style
}
