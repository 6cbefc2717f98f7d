import { useState } from 'preact/hooks'
import type { RangeName } from '#contract/chart-options.ts'
import { useNear } from '../parts/use-near.ts'
import { ChartPanel, type PanelProps } from './panel.tsx'
import type { View } from './view.ts'

/** Reserves the height of the chart and its controls, in pixels, so that nothing jumps. */
const defaultHeight = 460
const surroundingHeight = 56

/** A chart that keeps its own view and is drawn when the reader scrolls near. */
export function LazyPanel({
  defaultRange = 'all',
  start = { range: defaultRange, days: undefined, scale: undefined },
  ...props
}: Omit<PanelProps, 'view' | 'onView'> & { readonly defaultRange?: RangeName; readonly start?: View }) {
  const [view, setView] = useState<View>(start)
  const { target: place, isNear } = useNear<HTMLDivElement>()
  if (isNear) return <ChartPanel {...props} view={view} onView={setView} />
  return (
    <section>
      {props.choices === undefined && (
        <>
          <h2>{props.title}</h2>
          <p class="muted">{props.note}</p>
        </>
      )}
      <div ref={place} style={{ height: `${(props.height ?? defaultHeight) + surroundingHeight}px` }} />
    </section>
  )
}
