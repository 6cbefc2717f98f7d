import { useState } from 'preact/hooks'
import { pathTo, toHref } from '../../app/router.ts'
import { Button } from '../../parts/button.tsx'

const storageKey = 'saved-charts'
/** Queries of the address by name. */
type Saved = Readonly<Record<string, string>>

/** Charts that this browser keeps; `title` names the present one. */
export function SavedCharts({ title }: { readonly title: string }) {
  const [saved, setSaved] = useState(readSaved)
  const keep = (next: Saved): void => {
    localStorage.setItem(storageKey, JSON.stringify(next))
    setSaved(next)
  }
  return (
    <section class="saved" aria-label="Saved charts">
      <Button onClick={() => keep({ ...saved, [title]: location.search })}>Save in this browser as “{title}”</Button>
      <ul>
        {Object.entries(saved).map(([name, query]) => (
          <li key={name}>
            <a href={toHref(pathTo('workbench')) + query}>{name}</a>{' '}
            <Button
              aria-label={`Remove the saved chart ${name}`}
              onClick={() => keep(Object.fromEntries(Object.entries(saved).filter(([other]) => other !== name)))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function readSaved(): Saved {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    const entries = Object.entries(stored ?? {}).filter(([, query]) => /^(\?[\x21-\x7e]*)?$/.test(String(query)))
    return Object.fromEntries(entries.map(([name, query]) => [name, String(query)]))
  } catch {
    return {}
  }
}
