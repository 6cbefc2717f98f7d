import { JSDOM } from 'jsdom'
import { drawChart } from '#render/draw/chart.ts'
import type { Box } from '#render/draw/drawing.ts'
import { measure } from '#render/draw/text.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import type { ChartRequest } from '#render/request/request.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'

/** A drawn chart, parsed from its SVG file. */
export interface Picture {
  svg: string
  document: Document
  texts: PictureText[]
}

export interface PictureText extends Box {
  text: string
  x: number
  y: number
  size: number
  weight: number
  color: string
  /** Class of its group. */
  group: string
}

export function drawPicture(request: ChartRequest): Picture {
  const svg = serializeSvg(drawChart(buildSpecification(request), nodePlatform).svg)
  return readPicture(svg)
}

// All pictures share a window, because creating one takes longer than reading a picture.
const { DOMParser } = new JSDOM().window

/** Parses an SVG file; fails for invalid XML. */
export function parseSvg(svg: string): Document {
  // The parser would repair them.
  if (!svg.isWellFormed()) throw new Error('it has lone surrogates')
  const document = new DOMParser().parseFromString(svg, 'image/svg+xml')
  const [error] = document.getElementsByTagName('parsererror')
  if (error) throw new Error(error.textContent)
  return document
}

export function readPicture(svg: string): Picture {
  const document = parseSvg(svg)
  return { svg, document, texts: [...document.querySelectorAll('text')].map(readText) }
}

function number(element: Element, name: string): number {
  return Number(element.getAttribute(name))
}

/** The box of a text: width from font metrics, height from ascenders to descenders. */
function readText(element: Element): PictureText {
  const text = element.textContent
  const [x, y, size] = [number(element, 'x'), number(element, 'y'), number(element, 'font-size')]
  const weight = element.getAttribute('font-weight') === '600' ? 600 : 400
  const width = measure({ platform: nodePlatform }, text, size, weight)
  const anchor = element.getAttribute('text-anchor') ?? 'start'
  const before = anchor === 'start' ? 0 : anchor === 'middle' ? width / 2 : width
  const [above, below] = [0.76 * size, 0.22 * size]
  const rotated = element.getAttribute('transform')?.startsWith('rotate(-90') ?? false
  const box = rotated
    ? { left: x - above, right: x + below, top: y - (width - before), bottom: y + before }
    : { left: x - before, right: x + width - before, top: y - above, bottom: y + below }
  const group = element.closest('g[class]')?.getAttribute('class') ?? ''
  return { text, x, y, size, weight, color: element.getAttribute('fill') ?? '', group, ...box }
}

/** Describes texts that overlap or leave the picture; empty if the layout is right. */
export function layoutFaults({ document, texts }: Picture): string[] {
  const [width, height] = [number(document.documentElement, 'width'), number(document.documentElement, 'height')]
  const faults = texts
    .filter(({ left, right, top, bottom }) => left < 0 || top < 0 || right > width || bottom > height)
    .map(({ text }) => `"${text}" leaves the picture`)
  texts.forEach((one, i) => {
    for (const other of texts.slice(i + 1)) {
      const apart =
        one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top
      if (!apart) faults.push(`"${one.text}" covers "${other.text}"`)
    }
  })
  return faults
}

/** All points of a path of M and L commands, one list per subpath. */
export function pathPieces({ document }: Picture, selector: string): [number, number][][] {
  const d = document.querySelector(selector)?.getAttribute('d') ?? ''
  return d
    .split(/(?=M)/)
    .filter((piece) => piece !== '')
    .map((piece) =>
      piece
        .replace(/[MZ]/g, '')
        .split('L')
        .map((point): [number, number] => {
          const [x, y] = point.split(',').map(Number)
          return [x!, y!]
        }),
    )
}

const magnitudes: Record<string, number> = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 }

/** The number of an axis label. */
export function labelValue(label: string): number {
  const [, sign, digits, letter] = /^(−?)\$?([\d.,]+)([kMBT]?)(?:\u00a0%)?$/.exec(label) ?? []
  if (digits === undefined) throw new Error(`not a number of an axis: ${label}`)
  return (sign === '−' ? -1 : 1) * Number(digits.replaceAll(',', '')) * (magnitudes[letter!] ?? 1)
}

/** The pixel of a value, interpolated between the outermost tick labels of the axis `id`. */
export function readAxis(picture: Picture, id: string, log = false): (value: number) => number {
  const ticks = [...picture.document.querySelectorAll(`.ticks[data-id="${id}"] text`)].map(readText)
  const scale = log ? Math.log10 : (value: number) => value
  const [first, last] = [ticks[0]!, ticks.at(-1)!]
  // The middle of a label is 0.364 of its font size above its baseline.
  const pixel = ({ y, size }: PictureText) => y - 0.364 * size
  const [low, high] = [scale(labelValue(first.text)), scale(labelValue(last.text))]
  return (value) => pixel(first) + ((scale(value) - low) / (high - low)) * (pixel(last) - pixel(first))
}
