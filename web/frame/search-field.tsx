import { go, match, pathTo, route } from '../app/router.ts'
import { readIndex } from '../data/catalogue.ts'
import { useAnswer } from '../data/use-answer.ts'
import { loadPage } from './current-page.tsx'

/** Searches metrics while typing; the metrics page shows the results. */
export function SearchField() {
  const { value: index } = useAnswer(readIndex, [])
  const isThere = match.value?.page === 'metrics'
  const search = (words: string): void => {
    const query = new URLSearchParams(isThere ? route.peek().query : '')
    if (words === '') query.delete('q')
    else query.set('q', words)
    go(`${pathTo('metrics')}${query.size > 0 ? `?${query}` : ''}`, { replace: isThere })
  }
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void => {
    const { key, currentTarget } = event
    const [first] = document.querySelectorAll<HTMLElement>('.results a')
    if (key === 'Escape') currentTarget.blur()
    else if (key === 'ArrowDown' && first) first.focus()
    else if (key === 'Enter' && first && currentTarget.value !== '') {
      first.click()
      currentTarget.blur()
    } else return
    event.preventDefault()
  }
  return (
    <search>
      <label class="hidden" for="search">
        Search metrics
      </label>
      <input
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={index ? `Search ${index.metrics.length.toLocaleString('en-US')} metrics` : 'Search metrics'}
        value={isThere ? (route.value.query.get('q') ?? '') : ''}
        onFocus={() => void loadPage('metrics').catch(() => undefined)}
        onInput={({ currentTarget }) => search(currentTarget.value)}
        onKeyDown={press}
      />
      {!isThere && <kbd>/</kbd>}
    </search>
  )
}
