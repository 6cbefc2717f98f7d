import { readFileSync } from 'node:fs'
import { drawChart } from '../draw/chart.ts'
import { writeChartCsv, writeChartRows } from '../draw/chart-table.ts'
import { findFontPart, fontFace, fontFile } from '../draw/inter.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import type { FontWeight } from '../draw/text.ts'
import { listRemarks } from './metadata.ts'
import { nodePlatform, serializeSvg } from './node-platform.ts'
import { convertToPng } from './png.ts'
import type { RenderResult, RenderTask } from './render-task.ts'
import { writeSpecification } from './specification-json.ts'
import { isInSystemFont } from './system-fonts.ts'

const writers = {
  csv: writeChartCsv,
  rows: writeChartRows,
  spec: writeSpecification,
  remarks: (chart: ChartSpecification) => JSON.stringify(listRemarks(chart)),
}

export async function renderFile({ specification, format, embedFont = false }: RenderTask): Promise<RenderResult> {
  const write = format === 'png' || format === 'svg' ? undefined : writers[format]
  if (write) return Buffer.from(write(specification))
  const { svg } = drawChart(specification, nodePlatform)
  const characters = listCharacters(svg)
  if (format === 'png') {
    const foreign = characters
      .filter(({ isKnown, character }) => !isKnown && !isInSystemFont(character))
      .map(({ character }) => character)
    if (foreign.length > 0) return { characters: [...new Set(foreign)] }
    return convertToPng(serializeSvg(svg), specification.pixelRatio)
  }
  if (embedFont) svg.prepend(createFontStyle(svg, characters))
  return Buffer.from(serializeSvg(svg))
}

const listCharacters = (svg: SVGSVGElement) =>
  [...svg.querySelectorAll('text')].flatMap((text) => {
    const weight: FontWeight = text.getAttribute('font-weight') === '600' ? 600 : 400
    return [...(text.textContent ?? '')].map((character) => {
      const codePoint = character.codePointAt(0) ?? 0
      return { character, codePoint, weight, isKnown: nodePlatform.widths[weight](codePoint) !== undefined }
    })
  })

function createFontStyle(svg: SVGSVGElement, characters: ReturnType<typeof listCharacters>): Element {
  const rules = new Map<string, string>()
  for (const { codePoint, weight, isKnown } of characters) {
    const part = findFontPart(codePoint)
    const file = fontFile(weight, part)
    if (!isKnown || rules.has(file)) continue
    const base64 = readFileSync(new URL(`../fonts/${file}`, import.meta.url)).toString('base64')
    rules.set(file, fontFace(weight, part, `data:font/woff2;base64,${base64}`))
  }
  const style = svg.ownerDocument.createElementNS('http://www.w3.org/2000/svg', 'style')
  style.textContent = [...rules.values()].join('\n')
  return style
}
