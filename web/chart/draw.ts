import {
  type ChartSpecification,
  chooseSizes,
  type DrawnChart,
  drawChart,
  pagePlatform,
  thinLine,
} from '#render/page/page.ts'

/** Texts are measured in the font that they are set in. */
export const fontsAreReady: Promise<unknown> = Promise.all(
  [400, 600].map((weight) => document.fonts.load(`${weight} 12px Inter`, 'Aé–−·…₿')),
).catch(() => undefined)

let turn: Promise<unknown> = Promise.resolve()
/** Waits until a chart may be drawn: one in a frame, so that the first is seen before the next is begun. */
export function turnToDraw(): Promise<unknown> {
  const mine = turn
  turn = mine.then(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  return mine
}

let platform: ReturnType<typeof pagePlatform> | undefined
/** What drawing needs in this page; to be asked once the fonts are ready. */
export const platformOfPage = () => {
  platform ??= pagePlatform(document)
  return platform
}

/** How much larger texts must be so that those of axes have 12 pixels, however small the picture is. */
export const textScaleFor = (width: number, height: number): number =>
  1 / chooseSizes({ width, height, textScale: 1 }).scale

/** Distance of a picture's content from its edges, in pixels. */
export const marginOf = (width: number, height: number): number => chooseSizes({ width, height, textScale: 1 }).margin

/** A chart as it stands in a page, which says itself what the chart is called. */
export function drawInPage(specification: ChartSpecification): DrawnChart {
  const drawn = drawChart(
    { ...specification, title: '', subtitle: '', source: '', dateLine: '', brand: undefined },
    platformOfPage(),
  )
  // Texts around the picture say what it shows; its parts are for the eyes.
  drawn.svg.querySelectorAll('title, desc').forEach((one) => void one.remove())
  drawn.svg.setAttribute('aria-label', specification.title || 'Chart')
  return drawn
}

/** Whether a chart can be moved through time: its axis is dates, and it is made of columns. */
export const canMove = ({ x, heatmap, monthGrid }: ChartSpecification): boolean =>
  x.kind === 'date' && heatmap === undefined && monthGrid === undefined

/** Enough for axes and fills of a picture that moves. */
const coarseParts = 60

/**
 * Draws what of a chart lies between two days while a hand moves it: axes from few rows, whose ends are the same, and
 * lines on a canvas. Stacks, fills and bars stay coarse until the hand rests.
 */
export function drawMoving(whole: ChartSpecification, canvas: HTMLCanvasElement, from: number, to: number): DrawnChart {
  const { days } = whole.x
  const first = Math.max(
    0,
    days.findIndex((day) => day >= from),
  )
  const last = Math.max(
    first,
    days.findLastIndex((day) => day <= to),
  )
  const drawn = drawInPage(picked(whole, coarseRows(whole, first, last)))
  const isLine = new Set(whole.series.flatMap(({ id, style, stacked }) => (style === 'line' && !stacked ? [id] : [])))
  for (const path of drawn.svg.querySelectorAll<SVGElement>('path.series')) {
    if (isLine.has(path.dataset.id ?? '')) path.remove()
  }
  drawLines(whole, drawn, canvas, first, last, isLine)
  return drawn
}

/** The rows at which any series is least or greatest, in each of some parts of the rows from `first` to `last`. */
function coarseRows({ series }: ChartSpecification, first: number, last: number): number[] {
  const rows = new Set([first, last])
  const step = Math.max(1, Math.ceil((last - first + 1) / coarseParts))
  for (const { values } of series) {
    for (let start = first; start <= last; start += step) {
      let [least, greatest] = [-1, -1]
      for (let row = start; row < Math.min(start + step, last + 1); row++) {
        const value = values[row]!
        if (Number.isNaN(value)) continue
        if (least < 0 || value < values[least]!) least = row
        if (greatest < 0 || value > values[greatest]!) greatest = row
      }
      if (least >= 0) rows.add(least).add(greatest)
    }
  }
  return [...rows].sort((a, b) => a - b)
}

/** A specification with some of its rows. */
export function picked(whole: ChartSpecification, rows: readonly number[]): ChartSpecification {
  const pick = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!)
  const level = (value: number | Float64Array) => (typeof value === 'number' ? value : pick(value))
  return {
    ...whole,
    x: { ...whole.x, days: Int32Array.from(rows, (row) => whole.x.days[row]!) },
    series: whole.series.map((one) => ({
      ...one,
      values: pick(one.values),
      candles: one.candles && {
        open: pick(one.candles.open),
        high: pick(one.candles.high),
        low: pick(one.candles.low),
      },
    })),
    referenceLines: whole.referenceLines.map((line) => ({ ...line, y: level(line.y) })),
    referenceAreas: whole.referenceAreas.map((area) => ({ ...area, y1: level(area.y1), y2: level(area.y2) })),
  }
}

function drawLines(
  { x: { days }, series, width, height }: ChartSpecification,
  { frame }: DrawnChart,
  canvas: HTMLCanvasElement,
  first: number,
  last: number,
  shown: ReadonlySet<string>,
): void {
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
  }
  const context = canvas.getContext('2d')
  if (!context) return
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const { left, right, top, bottom } = frame.plot
  context.save()
  context.beginPath()
  context.rect(left, top - 1, right - left, bottom - top + 2)
  context.clip()
  // A third faster than with round corners, and no eye sees it.
  context.lineJoin = 'bevel'
  const xs = Float64Array.from(days.subarray(first, last + 1), frame.days.position)
  const { scale: size } = chooseSizes({ width, height, textScale: 1 })
  for (const { id, axisId, values, color, lineWidth, dash, opacity } of series) {
    const scale = frame.scales.find(({ axis }) => axis.id === axisId)
    if (!scale || !shown.has(id)) continue
    const ys = values.subarray(first, last + 1).map(scale.position)
    context.strokeStyle = color
    context.globalAlpha = opacity
    context.lineWidth = lineWidth * size
    context.setLineDash(dash === undefined ? [] : dash.split(' ').map((part) => Number(part) * size))
    context.beginPath()
    let isOpen = false
    for (const i of thinLine(xs, ys)) {
      const y = ys[i]!
      if (!Number.isFinite(y)) isOpen = false
      else if (isOpen) context.lineTo(xs[i]!, y)
      else {
        context.moveTo(xs[i]!, y)
        isOpen = true
      }
    }
    context.stroke()
  }
  context.restore()
}
