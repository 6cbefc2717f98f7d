import { type ChartSpecification, drawChart, fontFile } from '#render/page/page.ts'
import { getPlatform } from './draw.ts'

export const pixelRatio = 2

/** SVG that looks the same without the font. */
export function svgFile(specification: ChartSpecification): string {
  const { svg } = drawChart(specification, { ...getPlatform(), hasFont: false })
  return new XMLSerializer().serializeToString(svg)
}

/** Embeds the font, because images cannot use those of the page. */
export async function pngFile(specification: ChartSpecification): Promise<Blob> {
  const { svg } = drawChart(specification, getPlatform())
  const style = document.createElementNS('http://www.w3.org/2000/svg', 'style')
  style.textContent = (await Promise.all(([400, 600] as const).map(embeddedFont))).join('\n')
  svg.prepend(style)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = specification.width * pixelRatio
  canvas.height = specification.height * pixelRatio
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('this browser cannot make a PNG of the chart'))),
      'image/png',
    )
  })
}

/** Prints nothing else; browsers save it as PDF. */
export function printPicture(specification: ChartSpecification): void {
  const { svg } = drawChart(specification, getPlatform())
  svg.setAttribute('width', '100%')
  svg.setAttribute('height', '98vh')
  document.body.append(svg)
  addEventListener('afterprint', () => svg.remove(), { once: true })
  print()
}

async function embeddedFont(weight: 400 | 600): Promise<string> {
  const [stem = ''] = fontFile(weight, 'latin').split('.')
  const address = fontAddresses().find((one) => one.includes(`/${stem}-`))
  if (address === undefined) return ''
  const bytes = new Uint8Array(await (await fetch(address)).arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return `@font-face{font-family:Inter;font-weight:${weight};src:url(data:font/woff2;base64,${btoa(text)}) format("woff2")}`
}

const fontAddresses = (): string[] =>
  [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].flatMap((rule) => {
      const source = rule instanceof CSSFontFaceRule ? /url\("?([^")]+)/.exec(rule.cssText)?.[1] : undefined
      return source === undefined ? [] : [new URL(source, sheet.href ?? document.baseURI).href]
    }),
  )

export function saveFile(name: string, content: Blob | string, type: string): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
