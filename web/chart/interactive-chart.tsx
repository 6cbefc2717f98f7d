import { useEffect, useRef, useState } from 'preact/hooks'
import { rangeNames } from '#contract/chart-options.ts'
import { type ChartFrame, ChartRequestError, type ChartSpecification } from '#render/page/page.ts'
import { addKeyHandler } from '../app/keyboard.ts'
import { theme } from '../app/theme.ts'
import { dataVersion } from '../data/freshness.ts'
import { ChartError } from './chart-error.tsx'
import type { ChartOptions } from './chart-options.ts'
import { composeChart } from './compose.ts'
import { Crosshair } from './crosshair.tsx'
import { canMove, chartMargin, drawInPage, fontsReady, textScaleFor, waitForDrawSlot } from './draw.ts'
import { type GestureTarget, listenToGestures } from './gestures.ts'
import type { MovingChart } from './moving-chart.ts'
import { applyView, minDays, type View } from './view.ts'

export interface ChartProps {
  readonly options: ChartOptions
  readonly view: View
  readonly onView: (view: View) => void
  /** For screen readers. */
  readonly label: string
  /** In pixels on wide screens; phones limit it. */
  readonly height?: number
  /** Called with each drawn chart, for example to read the scale of its axis. */
  readonly onDrawn?: (drawn: ChartSpecification) => void
}

interface Shown {
  readonly specification: ChartSpecification
  readonly frame: ChartFrame
}

/** A chart is unreadable below this width; during layout it may be narrower for a moment. */
const minWidth = 200

/** A chart with a crosshair, moved by mouse, touch, wheel and keys. */
export function InteractiveChart({ options, view, onView, label, height: maxHeight = 460, onDrawn }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const picture = useRef<HTMLDivElement>(null)
  const stage = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [shown, setShown] = useState<Shown>()
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  const [entry, setEntry] = useState<number>()
  const height = (width || innerWidth) < 600 ? Math.min(maxHeight, 340) : maxHeight
  const margin = width > 0 ? chartMargin(width, height) : 0
  const inView = applyView(options, view)
  const key = JSON.stringify(inView)
  const currentTheme = theme.value
  const currentVersion = dataVersion.value

  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const compose = (what: ChartOptions) =>
    composeChart(what, { width, height, theme: currentTheme, textScale: textScaleFor(width, height) })

  useEffect(() => {
    if (width < minWidth) return
    let isWanted = true
    Promise.all([compose(inView), fontsReady])
      .then(async ([specification]) => {
        if (isWanted) await waitForDrawSlot()
        if (!isWanted) return
        const { svg, frame } = drawInPage(specification)
        picture.current?.replaceChildren(svg)
        void moving.current?.chart.then(
          (moved) => moved.remove(),
          () => undefined,
        )
        setShown({ specification, frame })
        setError(undefined)
        setEntry(undefined)
        onDrawn?.(specification)
      })
      .catch((problem: unknown) => isWanted && setError(problem))
    return () => {
      isWanted = false
    }
  }, [key, width, height, currentTheme, currentVersion, attempt])

  /** A chart of the whole history, shown during gestures. */
  const moving = useRef<{ key: string; chart: Promise<MovingChart> }>(undefined)
  const wholeKey = JSON.stringify([options, view.scale, width, currentTheme, currentVersion])
  const movingChart = (): Promise<MovingChart> => {
    if (moving.current?.key === wholeKey) return moving.current.chart
    const all: ChartOptions = { ...options, ...(view.scale && { scale: view.scale }), range: 'all' }
    const chart = Promise.all([compose(all), import('./moving-chart.ts')]).then(
      ([whole, { MovingChart }]) => new MovingChart(whole, stage.current!),
    )
    moving.current = { key: wholeKey, chart }
    return chart
  }
  const gestures = useRef<GestureTarget>(undefined)
  gestures.current = {
    span: () => {
      if (!shown || !canMove(shown.specification)) return undefined
      const { days } = shown.specification.x
      return [days[0] ?? 0, days.at(-1) ?? 0]
    },
    frame: () => shown?.frame,
    point: (x) => {
      if (!shown) return
      const { plot, days } = shown.frame
      setEntry(x === undefined || x < plot.left - 4 || x > plot.right + 4 ? undefined : days.nearest(x))
    },
    move: async (first, last) => {
      const moved = await movingChart().catch((problem: unknown) => void setError(problem))
      setEntry(undefined)
      moved?.show(...within(moved.days, first, last))
    },
    end: async (first, last) => {
      const moved = await moving.current?.chart.catch(() => undefined)
      if (!moved) return
      const { days } = moved
      const [from, to] = within(days, Math.round(first), Math.round(last))
      const [shownFrom, shownTo] = [shown?.specification.x.days[0], shown?.specification.x.days.at(-1)]
      // The drawn picture already shows these days.
      if (from === shownFrom && to === shownTo) moved.remove()
      const isAll = from <= (days[0] ?? from) && to >= (days.at(-1) ?? to)
      onView(isAll ? { ...view, range: 'all', days: undefined } : { ...view, days: [from, to] })
    },
  }
  useEffect(() => (box.current ? listenToGestures(box.current, () => gestures.current) : undefined), [])

  const zoom = (factor: number): void => {
    const span = gestures.current?.span()
    if (!span) return
    const middle = (span[0] + span[1]) / 2
    const half = Math.max(minDays, factor * (span[1] - span[0])) / 2
    void gestures.current
      ?.move(middle - half, middle + half)
      .then(() => gestures.current?.end(middle - half, middle + half))
  }
  const step = (event: KeyboardEvent): void => {
    if (!shown) return
    const last = shown.specification.x.days.length - 1
    const by = (event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 7 : 1)
    setEntry(Math.min(last, Math.max(0, (entry ?? last - by) + by)))
  }
  // Reassigned with each rendering, so that a second key press sees the view that the first one set.
  const press = useRef<(event: KeyboardEvent) => boolean>(undefined)
  press.current = (event) => {
    // The keys 1 to 4 choose a range.
    const range = rangeNames[Number(event.key) - 1]
    const scale = shown?.specification.axes[0]?.scale
    if (range) onView({ ...view, range, days: undefined })
    else if (event.key === 'l' && scale) onView({ ...view, scale: scale === 'log' ? 'linear' : 'log' })
    else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 0.5 : 2)
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') step(event)
    else if (event.key === 'Escape' && entry !== undefined) setEntry(undefined)
    else return false
    return true
  }
  useEffect(() => addKeyHandler((event) => press.current?.(event) ?? false), [])

  return (
    <figure class="chart" aria-label={label}>
      <div
        ref={box}
        class={error instanceof ChartRequestError || (error && !shown) ? 'box empty' : 'box'}
        style={{ height: `${height}px`, marginInline: `${-margin}px` }}
      >
        <div ref={picture} class="picture" />
        <div ref={stage} class="moving" />
        {shown && entry !== undefined && <Crosshair {...shown} entry={entry} />}
        {!shown && !error && <div class="waiting" />}
      </div>
      {error !== undefined && (
        <ChartError error={error} view={view} onView={onView} retry={() => setAttempt(attempt + 1)} />
      )}
    </figure>
  )
}

/** Limits a range to the known days, keeping its length. */
function within(days: Int32Array, first: number, last: number): [from: number, to: number] {
  const [firstKnown = first, lastKnown = last] = [days[0], days.at(-1)]
  const length = Math.min(last - first, lastKnown - firstKnown)
  const from = Math.min(Math.max(first, firstKnown), lastKnown - length)
  return [from, from + length]
}
