import { type ChartSpecification, chooseSizes, type DrawnChart, drawChart, pagePlatform } from '#render/page/page.ts'

/** Texts are measured in the font that they are set in. */
export const fontsReady: Promise<unknown> = Promise.all(
  [400, 600].map((weight) => document.fonts.load(`${weight} 12px Inter`, 'Aé–−·…₿')),
).catch(() => undefined)

let turn: Promise<unknown> = Promise.resolve()
/** Waits until a chart may be drawn: one in a frame, so that the first is seen before the next is begun. */
export function waitForDrawSlot(): Promise<unknown> {
  const mine = turn
  turn = mine.then(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  return mine
}

let platform: ReturnType<typeof pagePlatform> | undefined
/** What drawing needs in this page; to be asked once the fonts are ready. */
export const getPlatform = () => {
  platform ??= pagePlatform(document)
  return platform
}

/** How much larger texts must be so that those of axes have 12 pixels, however small the picture is. */
export const textScaleFor = (width: number, height: number): number =>
  1 / chooseSizes({ width, height, textScale: 1 }).scale

/** Distance of a picture's content from its edges, in pixels. */
export const chartMargin = (width: number, height: number): number =>
  chooseSizes({ width, height, textScale: 1 }).margin

/** A chart as it stands in a page, which says itself what the chart is called. */
export function drawInPage(specification: ChartSpecification): DrawnChart {
  const drawn = drawChart(withoutTexts(specification), getPlatform())
  // Texts around the picture say what it shows; its parts are for the eyes.
  drawn.svg.querySelectorAll('title, desc').forEach((one) => void one.remove())
  drawn.svg.setAttribute('aria-label', specification.title || 'Chart')
  return drawn
}

/** Without what a page writes around a chart. */
export const withoutTexts = (specification: ChartSpecification): ChartSpecification => ({
  ...specification,
  title: '',
  subtitle: '',
  source: '',
  dateLine: '',
  brand: undefined,
})

/** Whether a chart can be moved through time: its axis is dates, and it is made of columns. */
export const canMove = ({ x, heatmap, monthGrid }: ChartSpecification): boolean =>
  x.kind === 'date' && heatmap === undefined && monthGrid === undefined
