import { pathTo, replaceQuery, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { FoundSections } from './found-sections.tsx'
import { guides } from './guide-list.ts'

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
      {query.trim() === '' ? <List /> : <FoundSections query={query} max={maxFound} />}
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
