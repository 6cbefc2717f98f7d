import { pathTo, toHref } from '../app/router.ts'
import { readIndex } from '../data/catalogue.ts'
import { loadSearch } from '../data/search.ts'
import { useAnswer } from './use-answer.tsx'

const maxSuggestions = 6

/** For unknown addresses: metrics that match `words`, and links to other pages. */
export function Suggestions({ words }: { readonly words: string }) {
  const { value } = useAnswer(async () => {
    const [{ metrics }, search] = await Promise.all([readIndex(), loadSearch()])
    return search(metrics, words, maxSuggestions).metrics
  }, [words])
  return (
    <>
      {value && value.length > 0 && (
        <>
          <p>Did you mean one of these?</p>
          <ul class="suggestions">
            {value.map(({ id, name }) => (
              <li key={id}>
                <a href={toHref(pathTo('metric', { id }))}>{name}</a> <span class="muted">{id}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        Or go on to <a href={toHref(pathTo('metrics'))}>all metrics</a>, <a href={toHref('/')}>today</a> or the{' '}
        <a href={toHref(pathTo('guides'))}>guides</a>.
      </p>
    </>
  )
}
