import { useEffect, useMemo, useState } from 'preact/hooks'
import { isoDate, parseDay } from '#base/days.ts'
import { tierForGrade } from '#contract/tiers.ts'
import { isVariant } from '#contract/variants.ts'
import { pathTo, replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { type IndexEntry, readIndex } from '../../data/catalogue.ts'
import { type Row, read } from '../../data/client.ts'
import { inGroups, readYear } from '../../data/columns.ts'
import { toSentence } from '../../data/failure.ts'
import { health } from '../../data/freshness.ts'
import { loadSearch } from '../../data/search.ts'
import { categoryName } from '../../parts/categories.ts'
import { lazy } from '../../parts/lazy.tsx'
import { LongTable } from '../../parts/long-table.tsx'
import { ordinal, writeChange, writeValue } from '../../parts/numbers.ts'
import { Select } from '../../parts/select.tsx'
import type { SortableColumn } from '../../parts/sortable-table.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { useDebounced } from '../../parts/use-debounced.ts'
import { rowsPerBlock } from '../../parts/use-rows-near.ts'

const FoundBeside = lazy(async () => (await import('./found-beside.tsx')).FoundBeside)

export function MetricsPage() {
  useTitle('Metrics')
  const index = useAnswer(readIndex, [])
  const standings = useAnswer(
    async () => new Map((await read('metrics/percentiles')).data.map((one) => [one.id, one])),
    [],
  )
  const { query } = route.value
  const words = query.get('q') ?? ''
  const isSearch = words.trim() !== ''
  const settledWords = useDebounced(words, 300)
  const search = useAnswer(async () => (isSearch ? { metrics: await loadSearch() } : undefined), [isSearch]).value
  const chosen = { category: query.get('category') ?? '', unit: query.get('unit') ?? '', of: query.get('of') ?? '' }
  const found = useMemo(() => {
    if (!index.value || (isSearch && !search)) return undefined
    const { metrics, notTracked } =
      isSearch && search
        ? search.metrics(index.value.metrics, words, Number.POSITIVE_INFINITY)
        : { metrics: index.value.metrics, notTracked: undefined }
    // Without a search, show the many variants last.
    const ordered = isSearch ? metrics : [...metrics].sort((a, b) => Number(isVariant(a)) - Number(isVariant(b)))
    return { facets: countFacets(metrics), notTracked, shown: ordered.filter((metric) => isSelected(metric, chosen)) }
  }, [index.value, search, words, chosen.category, chosen.unit, chosen.of])

  return (
    <div class="metrics">
      <h1>Metrics</h1>
      {index.failure}
      {found && (
        <>
          <div class="facets">
            <FacetSelect
              parameter="category"
              label="Category"
              all="All categories"
              options={found.facets.categories.map((one) => ({ ...one, label: categoryName(one.value) }))}
            />
            <FacetSelect
              parameter="unit"
              label="Unit"
              all="All units"
              options={found.facets.units.map((one) => ({ ...one, label: one.value }))}
            />
            <FacetSelect
              parameter="of"
              label="Of"
              all="Everything"
              options={[
                { value: 'market', label: 'the whole market', count: found.facets.whole },
                { value: 'part', label: 'single cohorts, exchanges, funds', count: found.facets.parts },
              ]}
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
          {isSearch && <FoundBeside query={settledWords} />}
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

/** Empty selects all; `of` is `market` or `part`. */
const isSelected = (metric: IndexEntry, { category, unit, of }: Readonly<Record<FacetName, string>>): boolean =>
  (category === '' || metric.category === category) &&
  (unit === '' || metric.unit === unit) &&
  (of === '' || isVariant(metric) === (of === 'part'))

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

type FacetName = 'category' | 'unit' | 'of'

interface FacetSelectProps {
  readonly parameter: FacetName
  readonly label: string
  readonly all: string
  readonly options: readonly { readonly value: string; readonly label: string; readonly count: number }[]
}

function FacetSelect({ parameter, label, all, options }: FacetSelectProps) {
  const value = route.value.query.get(parameter) ?? ''
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <Select
      label={label}
      value={value}
      choices={[
        ['', all],
        ...(isListed ? [] : [[value, `${value} (0)`] as const]),
        ...options.map((option) => [option.value, `${option.label} (${option.count})`] as const),
      ]}
      onChange={(chosen) => replaceQuery({ [parameter]: chosen || undefined })}
    />
  )
}

const debounceMs = 150
/** Larger changes are written as multiples. */
const maxPercent = 1_000

interface Figures {
  readonly value: number
  readonly valueBefore: number | null
}

interface ResultsProps {
  readonly metrics: readonly IndexEntry[]
  readonly standings: ReadonlyMap<string, Row<'metrics/percentiles'>> | undefined
}

function Results({ metrics, standings }: ResultsProps) {
  const [near, setNear] = useState<readonly IndexEntry[]>([])
  const last = health.value?.published?.last_date
  const isSorted = route.value.query.has('sort')
  // Standings lack single cohorts, exchanges, funds and entities.
  const needsAll = last !== undefined && (isSorted || near.some(isVariant))
  const all = useAnswer(async () => (needsAll ? readFigures() : undefined), [needsAll]).value
  const figures = (id: string): Figures | undefined => {
    const standing = standings?.get(id)
    return all?.get(id) ?? (standing && { value: standing.value, valueBefore: standing.value_7d_ago })
  }
  const lines = useLines(near, ({ grade, id }) => grade === 0 || figures(id) !== undefined)
  const columns = useMemo<readonly SortableColumn<IndexEntry>[]>(
    () => [
      {
        id: 'metric',
        name: 'Metric',
        show: ({ id, name, category, grade }) => (
          <a href={toHref(pathTo('metric', { id }))}>
            <span class="name">{name}</span>
            <span class="also">
              {id} · {categoryName(category)}
              {grade > 0 && ` · ${tierForGrade(grade)}`}
            </span>
          </a>
        ),
      },
      {
        id: 'line',
        name: 'Year',
        class: 'line',
        show: ({ id }) => <Sparkline values={lines.get(id) ?? new Float64Array()} />,
      },
      {
        id: 'value',
        name: 'Value',
        class: 'number',
        isNumber: true,
        value: ({ id }) => figures(id)?.value,
        show: ({ id, unit }) => {
          const value = figures(id)?.value
          const standing = standings?.get(id)
          return (
            <>
              {value !== undefined && writeValue(unit, value)}
              {standing && (
                <span class="also">
                  <span class="not-phone">{ordinal(standing.percentile)} percentile</span>
                </span>
              )}
            </>
          )
        },
      },
      {
        id: 'change',
        name: '7 days',
        class: 'number',
        isNumber: true,
        value: ({ id }) => percentChange(figures(id)),
        show: ({ id }) => {
          const change = percentChange(figures(id))
          if (change === undefined) return ''
          return change < maxPercent / 100 ? writeChange('', 1, 1 + change) : `×${writeValue('', 1 + change)}`
        },
      },
    ],
    [standings, all, lines],
  )
  return (
    <div class="results">
      <LongTable caption="Metrics" columns={columns} rows={metrics} rowKey={({ id }) => id} onNear={setNear} />
    </div>
  )
}

/** Only amounts above zero have a meaningful percentage. */
const percentChange = (figures: Figures | undefined): number | undefined =>
  figures?.valueBefore && figures.valueBefore > 0 && figures.value >= 0
    ? figures.value / figures.valueBefore - 1
    : undefined

/** Newest values that the reader may see, and those a week before, by id. */
async function readFigures(): Promise<ReadonlyMap<string, Figures>> {
  const { data } = await read('metrics/latest', { cohorts: 'true' })
  // Categories may end on different days.
  const weekBefore = (date: string): string => isoDate(parseDay(date) - 7)
  const dates = [...new Set(data.flatMap(({ date }) => date ?? []))].map(weekBefore)
  const before = await Promise.all(dates.map((end_date) => read('metrics/latest', { cohorts: 'true', end_date })))
  return new Map(
    data.flatMap(({ category, date, ...values }) => {
      const earlier = before
        .flatMap((answer) => answer.data)
        .find((one) => one.category === category && date !== null && one.date === weekBefore(date))
      return Object.entries(values).flatMap(([id, value]) => {
        const valueBefore = earlier?.[id]
        return typeof value === 'number'
          ? [[id, { value, valueBefore: typeof valueBefore === 'number' ? valueBefore : null }] as const]
          : []
      })
    }),
  )
}

/** The last year of metrics in view, requested after typing and scrolling pause. */
function useLines(
  rows: readonly IndexEntry[],
  isVisible: (metric: IndexEntry) => boolean,
): ReadonlyMap<string, Float64Array> {
  const [lines, setLines] = useState<ReadonlyMap<string, Float64Array>>(new Map())
  const last = health.value?.published?.last_date
  const blocks = inGroups(rows, rowsPerBlock)
    .map((block) => block.flatMap((row) => (isVisible(row) ? row.id : [])).join())
    .filter((ids) => ids !== '')
  const key = useDebounced(blocks.join('\n'), debounceMs)
  useEffect(() => {
    if (key === '' || last === undefined) return
    let isWanted = true
    for (const ids of key.split('\n')) {
      readYear(ids.split(','), last).then(
        ({ values }) => isWanted && setLines((known) => new Map([...known, ...values])),
        () => undefined,
      )
    }
    return () => {
      isWanted = false
    }
  }, [key, last])
  return lines
}
