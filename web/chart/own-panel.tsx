import { useEffect, useRef, useState } from 'preact/hooks'
import type { RangeName } from '#contract/chart-words.ts'
import { ChartPanel, type PanelProps } from './panel.tsx'
import type { View } from './view.ts'

/** How far below what is seen a chart is drawn already. */
const ahead = '600px'
/** Of a chart, and of the choices above it, in pixels: nothing jumps when it is here. */
const usualHeight = 460
const aroundIt = 56

/** A chart that keeps its view by itself, where several stand on a page; drawn once a reader comes near. */
export function OwnPanel({
  usual = 'all',
  ...props
}: Omit<PanelProps, 'view' | 'onView'> & { readonly usual?: RangeName }) {
  const [view, setView] = useState<View>({ range: usual, days: undefined, scale: undefined })
  const [isNear, setNear] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: ahead },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  if (isNear) return <ChartPanel {...props} view={view} onView={setView} />
  return (
    <section>
      <h2>{props.title}</h2>
      <p class="muted">{props.note}</p>
      <div ref={place} style={{ height: `${(props.height ?? usualHeight) + aroundIt}px` }} />
    </section>
  )
}
