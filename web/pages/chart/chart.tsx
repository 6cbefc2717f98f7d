import { type PageProps, route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import { type UnpackedChart, unpackChart } from '../../chart/unpack-chart.ts'
import { readView, writeView } from '../../chart/view.ts'
import { useAnswer } from '../../parts/use-answer.tsx'

/** The chart in the address; boards and embedded charts link here. */
export function ChartPage({ parameters }: PageProps) {
  const { chart: packed = '' } = parameters
  const { value, failure = null } = useAnswer(async () => ({ chart: await unpackChart(packed) }), [packed])
  if (value?.chart) return <Known key={packed} chart={value.chart} />
  if (value) return <Broken />
  return failure
}

function Known({ chart }: { readonly chart: UnpackedChart }) {
  const { title, note, options, view } = chart
  useTitle(title)
  // The address's view takes precedence over the chart's.
  const chosen = readView(view.range)
  const isChosen = chosen.days !== undefined || route.value.query.has('range')
  return (
    <div class="metric">
      <header>
        <div>
          <h1>{title}</h1>
          {note && <p class="muted lead">{note}</p>}
        </div>
      </header>
      <ChartPanel
        title={title}
        choices={<span />}
        options={options}
        view={{
          ...(isChosen ? chosen : view),
          scale: chosen.scale ?? view.scale,
          axes: chosen.axes ?? view.axes,
        }}
        // An empty list of axes undoes the chart's.
        onView={(next) => writeView({ ...next, axes: next.axes ?? (view.axes && {}) }, undefined)}
        height={520}
      />
    </div>
  )
}

function Broken() {
  useTitle('No chart')
  return (
    <div role="alert">
      <h1>This address contains no chart</h1>
      <p>It was probably cut off when it was copied. Ask the sender for the complete address.</p>
    </div>
  )
}
