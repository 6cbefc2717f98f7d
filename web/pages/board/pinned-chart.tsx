import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { isFine, type RangeName, rangeNames } from '#contract/chart-options.ts'
import { matchPath, replaceQuery, route, toHref } from '../../app/router.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import { LazyPanel, Ranges } from '../../chart/panel.tsx'
import { unpackChart } from '../../chart/unpack-chart.ts'
import { defaultRanges } from '../../chart/view.ts'
import type { BoardChart } from '../../data/boards.ts'
import { useAnswer } from '../../parts/use-answer.tsx'

const height = 320

/** In the address, so that a link has it. */
const readRange = (): RangeName | undefined => rangeNames.find((name) => name === route.value.query.get('range'))

/** A range for all charts; a second press gives each its own. */
export const BoardRanges = () => (
  <div class="chart-tools all-ranges">
    <span class="muted">All charts</span>
    <Ranges range={readRange()} onRange={(name) => replaceQuery({ range: name === readRange() ? undefined : name })} />
  </div>
)

/** Hours and blocks have few days. */
const canShow = ({ interval = 'day' }: ChartOptions, range: RangeName): boolean =>
  !isFine(interval) || rangeNames.indexOf(range) <= rangeNames.indexOf(defaultRanges[interval])

export function PinnedChart({ chart, tools }: { readonly chart: BoardChart; readonly tools?: ComponentChildren }) {
  const { title, address } = chart
  const range = readRange()
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
          key={range}
          title={title}
          options={value.options}
          start={range && canShow(value.options, range) ? { ...value.view, range, days: undefined } : value.view}
          height={height}
          choices={<span class="filler" />}
        />
      ),
    [title, value, range],
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
