import { useState } from 'preact/hooks'
import { pathTo, toHref } from '../../app/router.ts'
import { parseBoard } from '../../data/boards.ts'
import { Button } from '../../parts/button.tsx'
import { SaveMetric } from './save-metric.tsx'

const storageKey = 'saved-charts'

/** Charts that this browser keeps, and formulas that the service may; `title` names the present chart. */
export function SavedCharts({
  title,
  formulas = [],
}: {
  readonly title?: string
  readonly formulas?: readonly string[]
}) {
  const [{ charts }, setSaved] = useState(() => parseBoard(localStorage.getItem(storageKey)))
  const others = (name: string) => charts.filter((chart) => chart.title !== name)
  const keep = (next: typeof charts): void => {
    localStorage.setItem(storageKey, JSON.stringify({ charts: next }))
    setSaved({ title: '', charts: next })
  }
  return (
    <section class="saved" aria-label="Saved charts">
      {title !== undefined && (
        <Button onClick={() => keep([...others(title), { title, address: pathTo('workbench') + location.search }])}>
          Save in this browser as “{title}”
        </Button>
      )}
      {charts.length > 0 && <p class="muted">Saved charts, one for each title:</p>}
      <ul>
        {charts.map(({ title: name, address }) => (
          <li key={name}>
            <a href={toHref(address)}>{name}</a>{' '}
            <Button aria-label={`Remove the saved chart ${name}`} onClick={() => keep(others(name))}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {formulas.length > 0 && <SaveMetric formulas={formulas} />}
    </section>
  )
}
