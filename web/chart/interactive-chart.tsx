import type { FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isFine } from '#contract/chart-options.ts'
import { ChartRequestError, type ChartSpecification, chooseSizes } from '#render/page/page.ts'
import { theme } from '../app/theme.ts'
import { dataVersion } from '../data/freshness.ts'
import { Failed } from '../parts/failed.tsx'
import { SlowNote } from '../parts/slow-note.tsx'
import type { ChartOptions } from './chart-options.ts'
import { composeChart, type Picture } from './compose.ts'
import type { ControlsProps } from './controls.tsx'
import { drawInPage, type Shown, waitForDrawSlot } from './draw.ts'
import { applyView, type View } from './view.ts'

export interface ChartProps {
  readonly options: ChartOptions
  readonly view: View
  readonly onView: (view: View) => void
  /** For screen readers. */
  readonly label: string
  /** In pixels on wide screens; phones limit it. */
  readonly height?: number
  readonly onDrawn?: (drawn: ChartSpecification, description: string) => void
}

/** Charts may be narrower briefly during layout. */
const minWidth = 200

export function InteractiveChart({ options, view, onView, label, height: maxHeight = 460, onDrawn }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const picture = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [shown, setShown] = useState<Shown>()
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  const [isPending, setPending] = useState(true)
  const [loaded, setLoaded] = useState<{ readonly Controls: FunctionComponent<ControlsProps> }>()
  const [missing, setMissing] = useState<typeof import('./missing-days.tsx')>()
  const height = (width || innerWidth) < 600 ? Math.min(maxHeight, 340) : maxHeight
  const { scale, margin } = chooseSizes({ width, height, textScale: 1 })
  // Axis labels have 12 pixels at any chart size.
  const size: Picture = { width, height, theme: theme.value, textScale: 1 / scale }
  const inView = applyView(options, view)
  const key = JSON.stringify([size, dataVersion.value])

  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const draw = (specification: ChartSpecification): Shown => {
    const { svg, frame } = drawInPage(specification)
    picture.current?.replaceChildren(svg)
    return { specification, frame }
  }

  useEffect(() => {
    if (width < minWidth) return
    let isWanted = true
    setPending(true)
    composeChart(inView, size)
      .then(async (specification) => {
        if (isWanted) await waitForDrawSlot()
        if (!isWanted) return
        setShown(draw(specification))
        setError(undefined)
        onDrawn?.(specification, picture.current?.querySelector('desc')?.textContent ?? '')
        // Not needed before the chart is drawn.
        setLoaded(await import('./controls.tsx'))
      })
      .catch(async (problem: unknown) => {
        // Before the chart makes room for it, so that the page moves once.
        const isMissing = problem instanceof ChartRequestError && problem.reason === 'not_found'
        const reasons = isMissing ? await import('./missing-days.tsx').catch(() => undefined) : undefined
        if (!isWanted) return
        setMissing(reasons)
        setError(problem)
      })
      .finally(() => isWanted && setPending(false))
    return () => {
      isWanted = false
    }
  }, [key, JSON.stringify(inView), attempt])

  return (
    <figure class="chart" aria-label={label} aria-busy={isPending}>
      <div
        ref={box}
        // Today's chart must not stay under the words "As seen on" another day.
        class={error instanceof ChartRequestError || (error && (!shown || view.asOf)) ? 'box empty' : 'box'}
        style={{ height: `${height}px`, marginInline: `${width > 0 ? -margin : 0}px` }}
      >
        <div ref={picture} class="picture" />
        {shown && loaded && box.current && (
          <loaded.Controls
            shown={shown}
            box={box.current}
            options={options}
            size={size}
            sizeKey={key}
            view={view}
            onView={onView}
            onError={setError}
            onPreview={draw}
          />
        )}
        {!shown && !error && <div class="waiting" />}
      </div>
      {isPending && !error && <SlowNote key={key} />}
      {missing && error instanceof ChartRequestError ? (
        <missing.MissingDays error={error} isFine={isFine(options.interval ?? 'day')} view={view} onView={onView} />
      ) : (
        error !== undefined && <Failed error={error} retry={() => setAttempt(attempt + 1)} />
      )}
    </figure>
  )
}
