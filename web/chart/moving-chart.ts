import { bisectLeft, bisectRight, range } from 'd3-array'
import {
  type ChartFrame,
  type ChartSeries,
  type ChartSpecification,
  chooseSizes,
  type Days,
  drawChartOn,
  drawPannedDates,
  drawPannedEndLabels,
  replaceDenseCandles,
} from '#render/page/page.ts'
import { CanvasMark } from './canvas-mark.ts'
import { getPlatform, withoutTexts } from './draw.ts'
import { HiddenCanvas, repaint } from './hidden-canvas.ts'
import { coarseRows, columnEnds, pickRows, thinLine } from './thinning.ts'

/** Share of the plot width that is drawn beyond each side. */
const overdraw = 0.35
/** The picture is redrawn before it is stretched or shrunk further. */
const maxStretch = 1.6
/** Share of a gesture's time for redrawing; during the rest, the picture is only moved. */
const drawingShare = 0.25
const [minPauseMs, maxPauseMs] = [120, 500]

/** A series without a value in the last rows has no end label. */
const endLabelRows = 4

/**
 * The last drawn picture: visible days (`from`, `to`) and drawn days (`firstMarked`, `lastMarked`).
 */
interface Drawing {
  readonly frame: ChartFrame
  readonly from: number
  readonly to: number
  readonly firstMarked: number
  readonly lastMarked: number
  /** Days between each edge of the plot and its outermost days. */
  readonly padding: number
  /** The day at the left edge of the moving canvas. */
  readonly start: number
}

/**
 * A chart during a gesture. The plot is drawn on a canvas wider than itself, which is shifted and
 * stretched with the gesture; dates and end labels are redrawn for each frame. Before the canvas
 * ends, and at intervals, the whole chart is redrawn so that its axes fit the visible days. Lines
 * are thinned; stacks, fills and bars are coarse until the gesture ends.
 */
export class MovingChart {
  readonly #whole: ChartSpecification
  readonly #stage: HTMLElement
  readonly #background: HiddenCanvas
  readonly #marks: HiddenCanvas
  readonly #plot = document.createElement('div')
  readonly #dates = document.createElement('canvas')
  readonly #ends = document.createElement('canvas')
  #drawn: Drawing | undefined
  #shown: readonly [from: number, to: number] = [0, 0]
  #timer: ReturnType<typeof setTimeout> | undefined
  #pause = minPauseMs

  /** `whole` has all days; `stage` covers the static picture. */
  constructor(whole: ChartSpecification, stage: HTMLElement) {
    const { width, height } = whole
    this.#whole = whole
    this.#stage = stage
    this.#background = new HiddenCanvas(width, height)
    this.#marks = new HiddenCanvas(Math.ceil(width * (1 + 2 * overdraw)), height)
    this.#plot.className = 'plot'
    this.#plot.append(this.#marks.shown)
  }

  get days(): Days {
    return this.#whole.x.days
  }

  /** Shows the days between two unix days, which may be fractions. */
  show(from: number, to: number): void {
    this.#shown = [from, to]
    if (!this.#reaches(from, to)) this.#draw(from, to)
    else this.#timer ??= setTimeout(() => requestAnimationFrame(() => this.#redraw()), this.#pause)
    this.#place(from, to)
  }

  remove(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#drawn = undefined
    this.#stage.replaceChildren()
  }

  #reaches(from: number, to: number): boolean {
    if (!this.#drawn) return false
    const { from: drawnFrom, to: drawnTo, firstMarked, lastMarked } = this.#drawn
    const stretched = (drawnTo - drawnFrom) / (to - from)
    const isLike = stretched < maxStretch && stretched > 1 / maxStretch
    return isLike && from >= firstMarked && to <= lastMarked
  }

  #redraw(): void {
    this.#timer = undefined
    const [from, to] = this.#shown
    if (!this.#drawn || (this.#drawn.from === from && this.#drawn.to === to)) return
    this.#draw(from, to)
    this.#place(from, to)
  }

  #draw(from: number, to: number): void {
    const began = performance.now()
    clearTimeout(this.#timer)
    this.#timer = undefined
    const more = overdraw * (to - from)
    const [first, last] = this.#rowsBetween(from, to)
    const [firstRow, lastRow] = this.#rowsBetween(from - more, to + more)
    const root = new CanvasMark('svg')
    // Candles become lines if these days leave no room for them.
    const inView = { ...this.#whole, x: { ...this.#whole.x, days: this.days.subarray(first, last + 1) } }
    const { series: styled } = replaceDenseCandles(inView, chooseSizes(inView))
    const whole = withoutTexts({ ...this.#whole, series: styled })
    const coarse = (first: number, last: number) => pickRows(whole, coarseRows(whole, first, last))
    // Axes that ignore outliers need all values.
    const measured = pickRows(whole, range(first, last + 1))
    const frame = drawChartOn(root, coarse(first, last), getPlatform(), coarse(firstRow, lastRow), measured)
    this.#background.draw((context) => {
      for (const part of root.parts) if (!isMark(part) && !isRedrawn(part)) part.paint(context)
    })
    const { plot, days: place } = frame
    const left = Math.floor(plot.left - overdraw * (plot.right - plot.left))
    this.#marks.draw((context) => {
      context.translate(-left, 0)
      const ends = columnEnds(this.days, frame, firstRow, lastRow)
      const strokeLine = (id: string): boolean => {
        const series = styled.find((one) => one.id === id)
        const scale = series && frame.scales.find(({ axis }) => axis.id === series.axisId)
        if (
          !series ||
          !scale ||
          series.stacked ||
          series.colorBy ||
          (series.style !== 'line' && series.style !== 'area')
        )
          return false
        this.#stroke(context, series, thinLine(series.values, scale, place, this.days, firstRow, ends))
        return true
      }
      for (const part of root.parts) {
        if (!isMark(part)) continue
        // The plot element clips the canvas sideways, so widen the mark's own clip.
        if (part.isClipped) part.attr('x', left).attr('width', this.#marks.width)
        part.paint(context, strokeLine)
      }
    })
    setBox(this.#plot, { left: plot.left, width: plot.right - plot.left })
    const { width, height } = this.#whole
    setBox(this.#dates, { left: 0, width, top: datesTop(plot), height: height - datesTop(plot) })
    setBox(this.#ends, { left: endsLeft(plot), width: width - endsLeft(plot), top: 0, height })
    if (!this.#stage.firstChild) this.#stage.append(this.#background.shown, this.#plot, this.#dates, this.#ends)
    this.#drawn = {
      frame,
      from,
      to,
      firstMarked: this.days[firstRow]!,
      lastMarked: this.days[lastRow]!,
      padding: this.days[first]! - place.day(plot.left),
      start: place.day(left),
    }
    requestAnimationFrame(() => {
      const took = performance.now() - began
      this.#pause = Math.min(maxPauseMs, Math.max(minPauseMs, took * (1 / drawingShare - 1)))
    })
  }

  #rowsBetween(from: number, to: number): [first: number, last: number] {
    const first = Math.min(this.days.length - 1, bisectLeft(this.days, from))
    return [first, Math.max(first, bisectRight(this.days, to) - 1)]
  }

  /**
   * Lines one pixel wide are many times faster than wider ones, so several next to each other make
   * the line.
   */
  #stroke(context: OffscreenCanvasRenderingContext2D, series: ChartSeries, path: Path2D): void {
    const { scale: size } = chooseSizes({ ...this.#whole, textScale: 1 })
    const pixel = 1 / this.#marks.ratio
    const off = (series.lineWidth * size - pixel) / 2
    context.save()
    context.strokeStyle = series.color
    context.globalAlpha = series.opacity
    context.lineWidth = pixel
    context.setLineDash(series.dash === undefined ? [] : series.dash.split(' ').map((part) => Number(part) * size))
    const places =
      off <= 0
        ? [[0, 0]]
        : [
            [0, -off],
            [off, 0],
            [0, off],
            [-off, 0],
          ]
    for (const [x = 0, y = 0] of places) {
      context.translate(x, y)
      context.stroke(path)
      context.translate(-x, -y)
    }
    context.restore()
  }

  /** Shifts and stretches the drawn picture to other days. */
  #place(from: number, to: number): void {
    if (!this.#drawn) return
    const { frame, padding: air, start } = this.#drawn
    const { plot, days } = frame
    // Bars need room at both ends.
    const perDay = (plot.right - plot.left) / (to - from + 2 * air)
    const drawnPerDay = days.position(1) - days.position(0)
    const position = (day: number): number => plot.left + (day - from + air) * perDay
    this.#marks.shown.style.transform = `translateX(${position(start) - plot.left}px) scaleX(${perDay / drawnPerDay})`
    const { width, height } = this.#whole
    const [first, last] = this.#rowsBetween(from, to)
    const moved = { ...frame, position }
    const dates = new CanvasMark('svg')
    const shown = { ...this.#whole, x: { ...this.#whole.x, days: this.days.subarray(first, last + 1) } }
    drawPannedDates(dates, shown, getPlatform(), moved)
    repaint(this.#dates, dates, [0, datesTop(plot)], [width, height])
    const ends = new CanvasMark('svg')
    const newest = Array.from({ length: Math.min(endLabelRows, last + 1) }, (_, i) => last - i).reverse()
    drawPannedEndLabels(ends, pickRows(this.#whole, newest), getPlatform(), moved)
    repaint(this.#ends, ends, [endsLeft(plot), 0], [width, height])
  }
}

/** The axis line below the plot is redrawn with the dates. */
const datesTop = ({ bottom }: ChartFrame['plot']): number => Math.floor(bottom) - 1

/** Dots lie on the plot's edge. */
const endsLeft = ({ right }: ChartFrame['plot']): number => Math.floor(right) - 6

const isRedrawn = (part: CanvasMark): boolean => part.class === 'axis bottom' || part.class === 'end-labels'

const isMark = (part: CanvasMark): boolean => part.isClipped || part.class === 'verticals'

function setBox(
  element: HTMLElement,
  box: Readonly<Partial<Record<'left' | 'top' | 'width' | 'height', number>>>,
): void {
  for (const [side, pixels] of Object.entries(box)) element.style.setProperty(side, `${pixels}px`)
}
