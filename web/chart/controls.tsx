import { bisectCenter } from 'd3-array'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rangeNames } from '#contract/chart-options.ts'
import type { ChartSeries, ChartSpecification, Days } from '#render/page/page.ts'
import { addKeyHandler } from '../app/keyboard.ts'
import { AxisHandles } from './axis-handles.tsx'
import type { ChartOptions } from './chart-options.ts'
import { composeChart, isComposedByApi, type Picture } from './compose.ts'
import { Crosshair } from './crosshair.tsx'
import { canMove, type Shown } from './draw.ts'
import { type GestureTarget, listenToGestures } from './gestures.ts'
import type { MovingChart } from './moving-chart.ts'
import { applyView, minDays, type View } from './view.ts'
import { isBeyondHistory } from './visible-history.ts'

export interface ControlsProps {
  readonly shown: Shown
  readonly box: HTMLElement
  readonly options: ChartOptions
  readonly size: Picture
  /** Identifies the size and the data. */
  readonly sizeKey: string
  readonly view: View
  readonly onView: (view: View) => void
  readonly onError: (error: unknown) => void
  readonly onPreview: (specification: ChartSpecification) => Shown
}

interface Point {
  readonly entry: number
  readonly price: number | undefined
}

/** Readings load all digits after a pause, so a passing pointer loads nothing. */
const settleMs = 150

const hintMs = 4_000
const hintKey = 'hinted'
let wasHinted = false

/** True once per browser. */
function takeHint(): boolean {
  const isFirst = !wasHinted
  wasHinted = true
  try {
    const isKnown = localStorage.getItem(hintKey) !== null
    localStorage.setItem(hintKey, '')
    return isFirst && !isKnown
  } catch {
    // Frames of other sites have no storage.
    return isFirst
  }
}

export function Controls({ shown, box, options, size, sizeKey, view, onView, onError, onPreview }: ControlsProps) {
  // A second key may come before the change of the first is drawn.
  const latest = useRef(view)
  latest.current = view
  const change = (part: Partial<View>): void => {
    latest.current = { ...latest.current, ...part }
    onView(latest.current)
  }
  const stage = useRef<HTMLDivElement>(null)
  const [point, setPoint] = useState<Point>()
  /** Pixels of the selected days. */
  const [selected, setSelected] = useState<readonly number[]>()
  const [isHinted, setHinted] = useState(false)
  const { specification, frame } = shown
  const heatmap = frame.scales.find(({ axis }) => axis.id === specification.heatmap?.axisId)

  /** The whole history, shown during gestures. */
  const moving = useRef<{ key: string; chart: Promise<MovingChart> }>(undefined)
  const whole = applyView(options, { ...view, range: 'all', days: undefined })
  const wholeKey = JSON.stringify([whole, sizeKey])
  const movingChart = (): Promise<MovingChart> => {
    if (moving.current?.key === wholeKey) return moving.current.chart
    const chart = Promise.all([composeChart(whole, size), import('./moving-chart.ts')]).then(
      ([all, { MovingChart }]) => new MovingChart(all, stage.current!),
    )
    moving.current = { key: wholeKey, chart }
    return chart
  }
  useLayoutEffect(() => {
    setPoint(undefined)
    void moving.current?.chart.then(
      (moved) => moved.remove(),
      () => undefined,
    )
  }, [shown])

  const exact = useExactSeries(applyView(options, view), shown, size, point !== undefined)
  const { days } = specification.x
  const gestures = useRef<GestureTarget>(undefined)
  gestures.current = {
    span: () =>
      specification.x.kind === 'date' && !specification.monthGrid ? [days[0] ?? 0, days.at(-1) ?? 0] : undefined,
    canMove: () => canMove(specification),
    frame: () => frame,
    select: (pixels) => {
      setPoint(undefined)
      if (pixels) {
        const { left, right } = frame.plot
        setSelected(pixels.toSorted((a, b) => a - b).map((x) => Math.min(right, Math.max(left, x))))
      } else if (selected) {
        const [from = 0, to = 0] = selected.map(frame.days.day)
        const more = Math.max(0, minDays - (to - from)) / 2
        change({ days: snap(days, from - more, to + more) })
      }
      if (!pixels) setSelected(undefined)
    },
    scroll: () => {
      if (takeHint()) setHinted(true)
    },
    point: (x, y) => {
      const { left, right } = frame.plot
      const isBeside = x === undefined || x < left - 4 || x > right + 4
      setPoint(isBeside ? undefined : { entry: frame.days.nearest(x), price: heatmap?.value(y) })
    },
    move: async (first, last) => {
      const moved = await movingChart().catch((problem: unknown) => void onError(problem))
      setPoint(undefined)
      moved?.show(...within(moved.days, first, last))
    },
    end: async (first, last) => {
      const moved = await moving.current?.chart.catch(() => undefined)
      if (!moved) return
      const all = moved.days
      const [from, to] = snap(all, ...within(all, first, last))
      // The drawn picture already shows these days.
      if (from === days[0] && to === days.at(-1)) moved.remove()
      const isAll = from === all[0] && to === all.at(-1)
      change(isAll ? { range: 'all', days: undefined } : { days: [from, to] })
    },
  }
  useEffect(() => listenToGestures(box, () => gestures.current), [box])
  useEffect(() => {
    if (!isHinted) return
    const timer = setTimeout(() => setHinted(false), hintMs)
    return () => clearTimeout(timer)
  }, [isHinted])

  const zoom = (factor: number): void => {
    const span = gestures.current?.span()
    if (!span || !canMove(specification)) return
    const middle = (span[0] + span[1]) / 2
    const half = Math.max(minDays, factor * (span[1] - span[0])) / 2
    void gestures.current
      ?.move(middle - half, middle + half)
      .then(() => gestures.current?.end(middle - half, middle + half))
  }
  const step = (event: KeyboardEvent): void => {
    const last = days.length - 1
    const by = (event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 7 : 1)
    const entry = Math.min(last, Math.max(0, (point?.entry ?? last - by) + by))
    setPoint({ entry, price: point?.price ?? heatmap?.value((heatmap.top + heatmap.bottom) / 2) })
  }
  /** Moves to the next cell of a heatmap. */
  const climb = (up: boolean): void => {
    const { binLower = new Float64Array(), binUpper = binLower } = specification.heatmap ?? {}
    const bin = binLower.findLastIndex((lower) => lower <= (point?.price ?? 0))
    const next = Math.min(binLower.length - 1, Math.max(0, bin + (up ? 1 : -1)))
    if (point) setPoint({ ...point, price: (binLower[next]! + binUpper[next]!) / 2 })
  }
  // Reassigned per rendering: a second key press needs the first one's view.
  const press = useRef<(event: KeyboardEvent) => boolean>(undefined)
  press.current = (event) => {
    const { key } = event
    const range = rangeNames[Number(key) - 1]
    const scale = specification.axes[0]?.scale
    if (range && !isBeyondHistory(range)) change({ range, days: undefined })
    else if (key === 'l' && scale) change({ scale: scale === 'log' ? 'linear' : 'log' })
    else if (key === '+' || key === '-') zoom(key === '+' ? 0.5 : 2)
    else if (key === 'ArrowLeft' || key === 'ArrowRight') step(event)
    else if ((key === 'ArrowUp' || key === 'ArrowDown') && heatmap && point) climb(key === 'ArrowUp')
    else if (key === 'Escape' && point) setPoint(undefined)
    else return false
    return true
  }
  useEffect(() => addKeyHandler((event) => press.current?.(event) ?? false), [])

  return (
    <>
      <div ref={stage} class="moving" />
      <div class="date-strip" style={{ top: `${frame.plot.bottom}px` }} title="Drag to move the days" />
      {selected && (
        <div
          class="selection"
          style={{
            left: `${selected[0]}px`,
            width: `${selected[1]! - selected[0]!}px`,
            top: `${frame.plot.top}px`,
            height: `${frame.plot.bottom - frame.plot.top}px`,
          }}
        />
      )}
      {isHinted && (
        <p class="chart-hint" role="status">
          {navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl'} and the wheel zoom. Or drag across the days to show.
        </p>
      )}
      {point && <Crosshair {...shown} {...point} exact={exact} />}
      <AxisHandles shown={shown} ends={view.axes} onEnds={(axes) => change({ axes })} onPreview={onPreview} />
    </>
  )
}

/** Series with all digits, loaded when the reader points at the chart. */
function useExactSeries(
  options: ChartOptions,
  shown: Shown,
  size: Picture,
  isRead: boolean,
): readonly ChartSeries[] | undefined {
  const [loaded, setLoaded] = useState<{ readonly shown: Shown; readonly series: readonly ChartSeries[] }>()
  const isComplete = isComposedByApi(options)
  useEffect(() => {
    if (!isRead || isComplete || loaded?.shown === shown) return
    let isWanted = true
    const timer = setTimeout(() => {
      composeChart(options, { ...size, isExact: true }).then(
        ({ series }) => isWanted && setLoaded({ shown, series }),
        // Stays rounded; the next reading tries again.
        () => undefined,
      )
    }, settleMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [isRead, shown])
  return isComplete ? shown.specification.series : loaded?.shown === shown ? loaded.series : undefined
}

/** Nearest known days: weeks and months stay whole. */
const snap = (days: Days, from: number, to: number): [from: number, to: number] => [
  days[bisectCenter(days, from)] ?? from,
  days[bisectCenter(days, to)] ?? to,
]

/** Limits a range to the known days, keeping its length. */
function within(days: Days, first: number, last: number): [from: number, to: number] {
  const [firstKnown = first, lastKnown = last] = [days[0], days.at(-1)]
  const length = Math.min(last - first, lastKnown - firstKnown)
  const from = Math.min(Math.max(first, firstKnown), lastKnown - length)
  return [from, from + length]
}
