import {
  type ChartFrame,
  type ChartSpecification,
  type DrawnChart,
  drawChart,
  pagePlatform,
} from '#render/page/page.ts'

export interface Shown {
  readonly specification: ChartSpecification
  readonly frame: ChartFrame
}

let turn: Promise<unknown> = Promise.resolve()
/** One chart per frame, so that the first appears before the next starts. */
export function waitForDrawSlot(): Promise<unknown> {
  const mine = turn
  turn = mine.then(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  return mine
}

let platform: ReturnType<typeof pagePlatform> | undefined
export const getPlatform = () => {
  platform ??= pagePlatform(document)
  return platform
}

/** Without title and source, which the page shows. */
export function drawInPage(specification: ChartSpecification): DrawnChart {
  const drawn = drawChart(withoutTexts(specification), getPlatform())
  // Browsers would show it at the pointer.
  drawn.svg.querySelector('title')?.remove()
  drawn.svg.setAttribute('aria-label', specification.title || 'Chart')
  return drawn
}

export const withoutTexts = (specification: ChartSpecification): ChartSpecification => ({
  ...specification,
  title: '',
  subtitle: '',
  source: '',
  dateLine: specification.x.kind === 'day_offset' ? specification.dateLine : '',
  brand: undefined,
})

export const canMove = ({ x, heatmap, monthGrid }: ChartSpecification): boolean =>
  x.kind === 'date' && heatmap === undefined && monthGrid === undefined
