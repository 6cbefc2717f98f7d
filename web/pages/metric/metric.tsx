import { useEffect } from 'preact/hooks'
import { isFine, ownAxes } from '#contract/chart-options.ts'
import { seriesIntervalCodes } from '#contract/intervals.ts'
import { priceDimension } from '#contract/metric-kinds.ts'
import { toQuantity } from '#render/request/chart-column.ts'
import { go, type PageProps, pathTo, replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import { defaultRanges, readView, writeView } from '../../chart/view.ts'
import { hasErrorCode } from '../../data/accounts.ts'
import { type CatalogueIndex, readIndex } from '../../data/catalogue.ts'
import { type FullRow, readFull } from '../../data/client.ts'
import { readHistories } from '../../data/columns.ts'
import { Button } from '../../parts/button.tsx'
import { categoryName } from '../../parts/categories.ts'
import { Facts } from '../../parts/facts.tsx'
import { Failed } from '../../parts/failed.tsx'
import { longDate, ordinal, writeValue } from '../../parts/numbers.ts'
import { Select } from '../../parts/select.tsx'
import { SlowNote } from '../../parts/slow-note.tsx'
import { Suggestions } from '../../parts/suggestions.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import type { Comparison } from './comparison.ts'
import { Definition } from './definition.tsx'
import { Related } from './related.tsx'

export function MetricPage({ parameters }: PageProps) {
  const { id = '' } = parameters
  const { value, error, retry } = useAnswer(async () => {
    // Start loading the chart's data; the chart reports errors.
    for (const one of [id, 'price']) readHistories([one]).catch(() => undefined)
    const [{ data }, index] = await Promise.all([readFull('metrics/{metric_id}', { metric_id: id }), readIndex()])
    const [definition] = data
    if (!definition) throw new Error(`there is no data for ${id}`)
    return { id, definition, index }
  }, [id])
  useTitle(value?.id === id ? value.definition.name : id)
  if (error && value?.id !== id) {
    return (
      <div class="dead-end">
        <h1>{id}</h1>
        {hasErrorCode(error, 'not_found') ? (
          <>
            <p>There is no metric ‘{id}’.</p>
            <Suggestions words={id.replaceAll('_', ' ')} />
          </>
        ) : (
          <Failed error={error} retry={retry} />
        )}
      </div>
    )
  }
  if (!value || value.id !== id) return <Waiting />
  return <Known key={value.definition.id} definition={value.definition} index={value.index} />
}

const Waiting = () => (
  <div class="metric">
    <header>
      <p class="crumbs">{'\u00a0'}</p>
      <h1>{'\u00a0'}</h1>
    </header>
    <ChartWaiting />
  </div>
)

const ChartWaiting = () => (
  <div class="chart-waiting">
    <SlowNote />
  </div>
)

interface Known {
  readonly definition: FullRow<'metrics/{metric_id}'>
  readonly index: CatalogueIndex
}

function Known({ definition, index }: Known) {
  const { id, name, description, category, endpoint, first_date } = definition
  const isSeries = hasSeries(definition)
  const intervals = (['day', 'week', 'month', 'hour', 'block'] as const).filter(
    (name) => !isFine(name) || definition.intervals.includes(seriesIntervalCodes[name]),
  )
  const interval = intervals.find((name) => name === route.value.query.get('interval')) ?? 'day'
  const defaultRange = defaultRanges[interval]
  const view = readView(defaultRange)
  const hasPrice = endpoint !== 'prices'
  const { price, y, interval: _, ...viewed } = Object.fromEntries(route.value.query)
  const isWithPrice = hasPrice && price !== 'off'
  const workbenchQuery = new URLSearchParams({
    ...viewed,
    // The price is a series there, not an overlay.
    ...(y && { y: y.replace(`,${ownAxes.price}`, `,auto:${priceDimension}`) }),
    metrics: isWithPrice ? `${id},price` : id,
  })
  const related = definition.related.flatMap((one) => index.byId.get(one) ?? []).slice(0, maxRelated)
  const standings = useAnswer(async () => {
    const metrics = [definition, ...related].filter(hasSeries).map((one) => one.id)
    if (metrics.length === 0) return undefined
    const { data } = await readFull('metrics/percentiles', { metrics: metrics.join() })
    return new Map(data.map((one) => [one.id, one]))
  }, [id])
  const standing = standings.value?.get(id)
  // Loaded first, so that the chart is drawn once.
  const ends = useAnswer(async () => {
    if (!isSeries) return {}
    const [columns] = await readHistories([id])
    const ceiling = outlierCeiling(columns?.values.get(id))
    return ceiling === undefined ? {} : { y_axes: [{ id: `auto:${toQuantity(definition).dimension}`, ceiling }] }
  }, [id])
  useEffect(() => {
    // Replace an alias in the address.
    const path = `/metrics/${id}`
    if (route.peek().path !== path) go(path + location.search, { replace: true })
  }, [id])
  return (
    <div class="metric">
      <header>
        <div>
          <p class="crumbs">
            <a href={toHref(pathTo('metrics'))}>Metrics</a> /{' '}
            <a href={toHref(`${pathTo('metrics')}?category=${category}`)}>{categoryName(category)}</a>
          </p>
          <h1>{name}</h1>
          <p class="muted lead">{description}</p>
        </div>
        {isSeries && first_date !== null && (standing || !(standings.value || standings.error)) && (
          <div class="now">
            <p class="value">{standing ? writeValue(definition.unit, standing.value) : '\u00a0'}</p>
            <p class="muted">
              {standing
                ? `${longDate(standing.date)} · ${ordinal(standing.percentile)} percentile since ${standing.history_from.slice(0, 4)}`
                : '\u00a0'}
            </p>
          </div>
        )}
      </header>
      {ends.value || ends.error ? (
        <ChartPanel
          title={name}
          choices={
            isSeries && (
              <>
                <Select
                  label="Points are"
                  value={interval}
                  choices={intervals.map((name) => [name, intervalLabels[name]])}
                  onChange={(name) =>
                    replaceQuery({
                      interval: name === 'day' ? undefined : name,
                      range: undefined,
                      from: undefined,
                      to: undefined,
                    })
                  }
                />
                {hasPrice && (
                  <Button
                    aria-pressed={isWithPrice}
                    onClick={() => replaceQuery({ price: isWithPrice ? 'off' : undefined })}
                  >
                    Price
                  </Button>
                )}
                <a class="pill" href={`${toHref(pathTo('workbench'))}?${workbenchQuery}`}>
                  Open in the workbench
                </a>
                <a class="pill" href={`${toHref(pathTo('alerts'))}?watch=${id}`}>
                  Alert
                </a>
              </>
            )
          }
          options={
            isSeries
              ? {
                  metric: id,
                  ...(isWithPrice && { overlay: 'price' as const }),
                  ...(interval !== 'day' && { interval }),
                  ...(!isFine(interval) && ends.value),
                }
              : { heatmap: { metric: id, color_scale: 'viridis' }, overlay: 'price' }
          }
          view={view}
          onView={(next) => writeView(next, defaultRange)}
          height={480}
        />
      ) : (
        <ChartWaiting />
      )}
      {first_date === null && <p class="muted">It has no values here yet.</p>}
      <div class="two">
        <div>
          <Definition definition={definition} index={index} reading={standing} />
          <Agreement id={id} />
        </div>
        <Related id={id} related={related} index={index} standings={standings.value} />
      </div>
    </div>
  )
}

const maxRelated = 12

const intervalLabels = { day: 'Days', week: 'Weeks', month: 'Months', hour: 'Hours', block: 'Blocks' }

/** Distributions of costs have none. */
const hasSeries = ({ endpoint }: { readonly endpoint: string }): boolean => endpoint !== 'cost-basis'

/** Upper end of the axis if a few outliers would flatten the rest. */
function outlierCeiling(values: Float64Array | undefined): number | undefined {
  const known = values?.filter((value) => !Number.isNaN(value)).sort()
  if (!known || known.length < 1_000) return undefined
  const ceiling = known[Math.floor(known.length * 0.995)] ?? 0
  return ceiling > 0 && (known.at(-1) ?? 0) > 2 * ceiling ? 1.1 * ceiling : undefined
}

function Agreement({ id }: { readonly id: string }) {
  // Left out if loading fails: the guide shows it too.
  const { value } = useAnswer(async () => (await import('agreement:all')).default, [])
  const compared = value?.[id] ?? []
  if (compared.length === 0) return null
  return (
    <section class="agreement">
      <h2>Agreement with others</h2>
      <p class="muted">
        This formula on their inputs, beside the series that they publish.{' '}
        <a href={toHref(pathTo('guide', { name: 'agreement' }))}>How they are compared</a>
      </p>
      <Facts
        facts={compared.map((one) => [
          one.vendor,
          <>
            {describe(one)}
            {one.why && <p class="muted">{one.why}</p>}
          </>,
        ])}
      />
    </section>
  )
}

function describe({ days, from, to, median, greatest }: Comparison): string {
  const span = `on ${days} days, ${from.slice(0, 7)} to ${to.slice(0, 7)}`
  if (greatest === '0') return `Equal ${span}`
  return `Off by ${median === '0' ? 'nothing' : median} in the median, by ${greatest} at most, ${span}`
}
