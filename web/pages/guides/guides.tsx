import { pathTo, replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { guides } from './guide-list.ts'
import { searchSections } from './section-search.ts'

const maxFound = 20

export function Guides() {
  useTitle('Guides')
  const query = route.value.query.get('q') ?? ''
  return (
    <>
      <h1>Guides</h1>
      <p class="lead">How to run Coinstrata, what it publishes, and how to get it where you need it.</p>
      <input
        type="search"
        class="guide-search"
        aria-label="Search the guides"
        placeholder="Search the guides"
        value={query}
        onInput={({ currentTarget: { value } }) => replaceQuery({ q: value || undefined })}
      />
      {query.trim() === '' ? <List /> : <Found query={query} />}
    </>
  )
}

/** Loads the sections' text at the first search. */
function Found({ query }: { readonly query: string }) {
  const { value, failure = null } = useAnswer(async () => (await import('guide:sections')).default, [])
  if (!value) return failure
  const found = searchSections(value, query, maxFound)
  return (
    <>
      <p aria-live="polite">
        {found.length === 0 ? 'No guide contains all of these words.' : `${found.length} sections`}
      </p>
      <dl class="guides">
        {found.map(({ section: { guide, heading, id }, excerpt }) => {
          const title = guides.find(({ name }) => name === guide)?.title ?? guide
          const path = pathTo('guide', { name: guide })
          return (
            <div key={`${guide}#${id}`}>
              <dt>
                <a href={toHref(id === '' ? path : `${path}#${id}`)}>{id === '' ? title : `${title}: ${heading}`}</a>
              </dt>
              <dd>{excerpt}</dd>
            </div>
          )
        })}
      </dl>
    </>
  )
}

function List() {
  return (
    <dl class="guides">
      {guides.map(({ name, title, summary }) => (
        <div key={name}>
          <dt>
            <a href={toHref(pathTo('guide', { name }))}>{title}</a>
          </dt>
          <dd>{summary}</dd>
        </div>
      ))}
      <div>
        <dt>
          <a href={toHref('/docs')}>API</a>
        </dt>
        <dd>Every endpoint with its parameters and answers, to try on the page. Programs get the same as OpenAPI.</dd>
      </div>
    </dl>
  )
}
