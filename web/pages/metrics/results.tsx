import { useEffect, useState } from 'preact/hooks'
import { pathTo, toHref } from '../../app/router.ts'
import type { IndexEntry } from '../../data/catalogue.ts'
import type { Row } from '../../data/client.ts'
import { type Columns, readYear } from '../../data/columns.ts'
import { health } from '../../data/freshness.ts'
import { Button } from '../../parts/button.tsx'
import { categoryName } from '../../parts/categories.ts'
import { ordinal, writeValue } from '../../parts/numbers.ts'
import { Sparkline } from '../../parts/sparkline.tsx'

const maxLines = 24
const debounceMs = 150
const tiers = ['', 'pro', 'enterprise']

interface ResultsProps {
  readonly metrics: readonly IndexEntry[]
  readonly pageSize: number
  readonly standings: ReadonlyMap<string, Row<'metrics/percentiles'>> | undefined
}

export function Results({ metrics, pageSize, standings }: ResultsProps) {
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
