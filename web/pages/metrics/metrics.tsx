import { useEffect, useMemo, useState } from 'preact/hooks'
import { isVariant } from '#contract/variants.ts'
import { pathTo, replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { type IndexEntry, readIndex } from '../../data/catalogue.ts'
import { type Row, read } from '../../data/client.ts'
import { type Columns, readYear } from '../../data/columns.ts'
import { toSentence } from '../../data/failure.ts'
import { health } from '../../data/freshness.ts'
import { loadSearch } from '../../data/search.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Button } from '../../parts/button.tsx'
import { categoryName } from '../../parts/categories.ts'
import { Failed } from '../../parts/failed.tsx'
import { ordinal, writeValue } from '../../parts/numbers.ts'
import { Select } from '../../parts/select.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'

export function MetricsPage() {
  useTitle('Metrics')
  const index = useAnswer(readIndex, [])
  const standings = useAnswer(
    async () => new Map((await read('metrics/percentiles')).data.map((one) => [one.id, one])),
    [],
  )
  const search = useAnswer(loadSearch, []).value
  const { query } = route.value
  const words = query.get('q') ?? ''
  const chosen = { category: query.get('category') ?? '', unit: query.get('unit') ?? '', of: query.get('of') ?? 'all' }
  const found = useMemo(() => {
    const isSearch = words.trim() !== ''
    if (!index.value || (isSearch && !search)) return undefined
    const { metrics, notTracked } =
      isSearch && search
        ? search(index.value.metrics, words, Number.POSITIVE_INFINITY)
        : { metrics: index.value.metrics, notTracked: undefined }
    // Without a search, show the many variants last.
    const ordered = isSearch ? metrics : [...metrics].sort((a, b) => Number(isVariant(a)) - Number(isVariant(b)))
    return { facets: countFacets(metrics), notTracked, shown: ordered.filter((metric) => isSelected(metric, chosen)) }
  }, [index.value, search, words, chosen.category, chosen.unit, chosen.of])

  return (
    <div class="metrics">
      <h1>Metrics</h1>
      {index.error && !index.value ? <Failed error={index.error} retry={index.retry} /> : null}
      {found && (
        <>
          <div class="facets">
            <FacetSelect
              name="Category"
              value={chosen.category}
              all="All categories"
              options={found.facets.categories.map((one) => ({ ...one, label: categoryName(one.value) }))}
              onChoose={(value) => replaceQuery({ category: value || undefined })}
            />
            <FacetSelect
              name="Unit"
              value={chosen.unit}
              all="All units"
              options={found.facets.units.map((one) => ({ ...one, label: one.value }))}
              onChoose={(value) => replaceQuery({ unit: value || undefined })}
            />
            <FacetSelect
              name="Of"
              value={chosen.of === 'all' ? '' : chosen.of}
              all="Everything"
              options={[
                { value: 'market', label: 'the whole market', count: found.facets.whole },
                { value: 'part', label: 'single cohorts, exchanges, funds', count: found.facets.parts },
              ]}
              onChoose={(value) => replaceQuery({ of: value || undefined })}
            />
            <p class="muted" role="status">
              {found.shown.length.toLocaleString('en-US')} {found.shown.length === 1 ? 'metric' : 'metrics'}
            </p>
          </div>
          {found.notTracked && (
            <p class="not-tracked">
              {toSentence(found.notTracked)}
              {found.shown.length > 0 && ' Closest matches:'}
            </p>
          )}
          {found.shown.length === 0 && !found.notTracked && (
            <p class="not-tracked">
              No metric matches. Try other words, such as <a href={toHref('/metrics?q=realized')}>realized</a> or{' '}
              <a href={toHref('/metrics?q=supply')}>supply</a>.
            </p>
          )}
          <Results metrics={found.shown} standings={standings.value} />
        </>
      )}
    </div>
  )
}

interface Selection {
  readonly category: string
  readonly unit: string
  /** `market`, `part` or `all`. */
  readonly of: string
}

const isSelected = (metric: IndexEntry, { category, unit, of }: Selection): boolean =>
  (category === '' || metric.category === category) &&
  (unit === '' || metric.unit === unit) &&
  (of === 'all' || isVariant(metric) === (of === 'part'))

/** Metrics of each kind, in catalogue order. */
function countFacets(metrics: readonly IndexEntry[]) {
  const counts = (of: (metric: IndexEntry) => string) =>
    [...Map.groupBy(metrics, of)].map(([value, members]) => ({ value, count: members.length }))
  const parts = metrics.filter(isVariant).length
  return {
    categories: counts(({ category }) => category),
    units: counts(({ unit }) => unit),
    parts,
    whole: metrics.length - parts,
  }
}

interface FacetSelectProps {
  readonly name: string
  readonly value: string
  readonly all: string
  readonly options: readonly { readonly value: string; readonly label: string; readonly count: number }[]
  readonly onChoose: (value: string) => void
}

function FacetSelect({ name, value, all, options, onChoose }: FacetSelectProps) {
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <Select
      label={name}
      value={value}
      choices={[
        ['', all],
        ...(isListed ? [] : [[value, `${value} (0)`] as const]),
        ...options.map((option) => [option.value, `${option.label} (${option.count})`] as const),
      ]}
      onChange={onChoose}
    />
  )
}

const pageSize = 40
const maxLines = 24
const debounceMs = 150
const tiers = ['', 'pro', 'enterprise']

interface ResultsProps {
  readonly metrics: readonly IndexEntry[]
  readonly standings: ReadonlyMap<string, Row<'metrics/percentiles'>> | undefined
}

function Results({ metrics, standings }: ResultsProps) {
  const [more, setMore] = useState(1)
  const shown = metrics.slice(0, pageSize * more)
  const lines = useLines(
    shown
      .filter(({ grade, id }) => grade === 0 || standings?.has(id))
      .slice(0, maxLines)
      .map(({ id }) => id),
  )
  const first = metrics[0]?.id
  useEffect(() => setMore(1), [first, metrics.length])
  return (
    <>
      <ul class="results">
        {shown.map((metric) => {
          const { id, name, unit, category, grade } = metric
          const standing = standings?.get(id)
          return (
            <li key={id}>
              <a href={toHref(pathTo('metric', { id }))}>
                <span class="name">
                  {name}
                  <span class="muted">
                    {id} · {categoryName(category)}
                    {grade > 0 && ` · ${tiers[grade]}`}
                  </span>
                </span>
                <Sparkline values={lines?.values.get(id) ?? new Float64Array()} />
                <span class="value">
                  {standing ? writeValue(unit, standing.value) : '\u00a0'}
                  <span class="muted">{standing && `${ordinal(standing.percentile)} percentile`}</span>
                </span>
              </a>
            </li>
          )
        })}
      </ul>
      {metrics.length > shown.length && (
        <Button onClick={() => setMore(more + 1)}>Show {Math.min(pageSize, metrics.length - shown.length)} more</Button>
      )}
    </>
  )
}

/** The last year of metrics, requested after a pause in typing; none if that fails. */
function useLines(ids: readonly string[]): Columns | undefined {
  const [columns, setColumns] = useState<Columns>()
  const last = health.value?.published?.last_date
  const key = ids.join()
  useEffect(() => {
    if (key === '' || last === undefined) return
    let isWanted = true
    const timer = setTimeout(() => {
      readYear(key.split(','), last).then(
        (read) => isWanted && setColumns(read),
        () => undefined,
      )
    }, debounceMs)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [key, last])
  return columns
}
