import { useMemo } from 'preact/hooks'
import { isVariant } from '#contract/search/search.ts'
import { replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { readIndex } from '../../data/catalogue.ts'
import { read } from '../../data/client.ts'
import { toSentence } from '../../data/failure.ts'
import { searchIndex } from '../../data/search.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { categoryName } from '../../parts/categories.ts'
import { Failed } from '../../parts/failed.tsx'
import { countFacets, FacetSelect, isSelected } from './facets.tsx'
import { Results } from './results.tsx'

const pageSize = 40

export function MetricsPage() {
  useTitle('Metrics')
  const index = useAnswer(readIndex, [])
  const standings = useAnswer(
    async () => new Map((await read('metrics/percentiles')).data.map((one) => [one.id, one])),
    [],
  )
  const { query } = route.value
  const words = query.get('q') ?? ''
  const chosen = { category: query.get('category') ?? '', unit: query.get('unit') ?? '', of: query.get('of') ?? 'all' }
  const found = useMemo(() => {
    if (!index.value) return undefined
    const { metrics, notTracked } =
      words.trim() === ''
        ? { metrics: index.value.metrics, notTracked: undefined }
        : searchIndex(index.value, words, Number.POSITIVE_INFINITY)
    // Without a search, show the many variants last.
    const ordered =
      words.trim() === '' ? [...metrics].sort((a, b) => Number(isVariant(a)) - Number(isVariant(b))) : metrics
    return { facets: countFacets(metrics), notTracked, shown: ordered.filter((metric) => isSelected(metric, chosen)) }
  }, [index.value, words, chosen.category, chosen.unit, chosen.of])

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
              options={found.facets.categories.map(([value, count]) => ({ value, label: categoryName(value), count }))}
              onChoose={(value) => replaceQuery({ category: value || undefined })}
            />
            <FacetSelect
              name="Unit"
              value={chosen.unit}
              all="All units"
              options={found.facets.units.map(([value, count]) => ({ value, label: value, count }))}
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
          <Results metrics={found.shown} pageSize={pageSize} standings={standings.value} />
        </>
      )}
    </div>
  )
}
