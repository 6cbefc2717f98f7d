import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { matchPath, toHref } from '../../app/router.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { unpackChart } from '../../chart/unpack-chart.ts'
import type { BoardChart } from '../../data/boards.ts'
import { useAnswer } from '../../parts/use-answer.tsx'

const height = 320

export function PinnedChart({ chart, tools }: { readonly chart: BoardChart; readonly tools?: ComponentChildren }) {
  const { title, address } = chart
  const packed = readPackedChart(address)
  const { value, failure } = useAnswer(
    async () => (packed === undefined ? undefined : await unpackChart(packed)),
    [packed],
  )
  // Dragging must not render the charts again.
  const panel = useMemo(
    () =>
      value && (
        <LazyPanel
          title={title}
          options={value.options}
          start={value.view}
          height={height}
          choices={<span class="filler" />}
        />
      ),
    [title, value],
  )
  return (
    <article>
      <header>
        <h2>
          <a href={toHref(address)} draggable={false}>
            {title || 'Untitled'}
          </a>
        </h2>
        {tools}
      </header>
      {panel}
      {failure}
      {packed === undefined && <p class="muted">This page of the service is not a single chart.</p>}
    </article>
  )
}

/** Undefined for pages other than `chart`. */
function readPackedChart(address: string): string | undefined {
  const found = matchPath(address.replace(/[?#].*$/, ''))
  return found?.page === 'chart' ? found.parameters.chart : undefined
}
