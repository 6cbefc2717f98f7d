import { bisectLeft, bisectRight } from 'd3-array'
import { type ChartSpecification, type Days, drawChartOn } from '#render/page/page.ts'
import { CanvasMark } from './canvas-mark.ts'
import { getPlatform, withoutTexts } from './draw.ts'
import { sliceRows, thinRows } from './thinning.ts'

/** Screen pixels per page pixel; more would be too slow for gestures. */
const maxPixelRatio = 2
const rowsPerPixel = 0.6

/** Draws a chart with fewer rows on a canvas, each frame of a gesture. */
export class MovingChart {
  readonly #whole: ChartSpecification
  readonly #stage: HTMLElement
  readonly #canvas = document.createElement('canvas')
  /** By the `step` of `thinRows`. */
  readonly #thinned = new Map<number, ChartSpecification>()

  /** `whole` has all days; `stage` covers the static picture. */
  constructor(whole: ChartSpecification, stage: HTMLElement) {
    this.#whole = withoutTexts(whole)
    this.#stage = stage
    const ratio = Math.min(maxPixelRatio, devicePixelRatio)
    this.#canvas.width = Math.round(whole.width * ratio)
    this.#canvas.height = Math.round(whole.height * ratio)
  }

  get days(): Days {
    return this.#whole.x.days
  }

  /** Unix days, which may be fractions. */
  show(from: number, to: number): void {
    const { width, height } = this.#whole
    const inView = selectDays(this.#whole, from, to)
    const step = Math.ceil(inView.x.days.length / (rowsPerPixel * width))
    const thinned = this.#thinned.get(step) ?? thinRows(this.#whole, step)
    this.#thinned.set(step, thinned)
    const picture = new CanvasMark('svg')
    // One more row per side lets lines reach the plot's edges.
    drawChartOn(picture, inView, getPlatform(), { span: [from, to], marks: selectDays(thinned, from, to, 1) })
    const context = this.#canvas.getContext('2d', { alpha: false })
    if (context === null) throw new Error('this browser provides no canvas to draw on')
    context.reset()
    context.scale(this.#canvas.width / width, this.#canvas.height / height)
    picture.paint(context)
    if (!this.#stage.firstChild) this.#stage.append(this.#canvas)
  }

  remove(): void {
    this.#stage.replaceChildren()
  }
}

/** The rows between two days, at least one, and `more` on each side. */
function selectDays(chart: ChartSpecification, from: number, to: number, more = 0): ChartSpecification {
  const { days } = chart.x
  const first = Math.min(days.length - 1, bisectLeft(days, from))
  const end = Math.max(first + 1, bisectRight(days, to))
  return sliceRows(chart, Math.max(0, first - more), end + more)
}
