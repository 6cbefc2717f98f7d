import { useEffect, useState } from 'preact/hooks'
import { toHref } from '../app/router.ts'
import { useTitle } from '../app/title.ts'
import { InteractiveChart } from '../chart/interactive-chart.tsx'
import { sourceLine } from '../chart/source-line.ts'
import { type UnpackedChart, unpackChart } from '../chart/unpack-chart.ts'
import type { View } from '../chart/view.ts'
import { useAnswer } from '../parts/use-answer.tsx'

/** Height of title and footer, in pixels. */
const surroundingHeight = 84
const minHeight = 180

export function EmbeddedChart({ packed }: { readonly packed: string }) {
  const { value, failure = null } = useAnswer(async () => ({ chart: await unpackChart(packed) }), [packed])
  if (value?.chart) return <Known chart={value.chart} packed={packed} />
  if (value) return <p class="embedded">This address contains no chart: it was probably cut off when it was copied.</p>
  return failure
}

function Known({ chart, packed }: { readonly chart: UnpackedChart; readonly packed: string }) {
  const { title, options } = chart
  const [view, setView] = useState<View>(chart.view)
  const height = Math.max(minHeight, useWindowHeight() - surroundingHeight)
  useTitle(title)
  return (
    <main class="embedded">
      <h1>{title}</h1>
      <InteractiveChart options={options} view={view} onView={setView} label={title} height={height} />
      <p class="muted">
        <span>{sourceLine()}</span>
        <a href={`${toHref('/chart/')}${packed}`} target="_blank" rel="noopener">
          Coinstrata
        </a>
      </p>
    </main>
  )
}

function useWindowHeight(): number {
  const [height, setHeight] = useState(innerHeight)
  useEffect(() => {
    const measure = (): void => setHeight(innerHeight)
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  return height
}
