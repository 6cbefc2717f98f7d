import { addressOf, pathTo } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { guides } from './list.ts'

/** What there is to read. */
export function Guides() {
  useTitle('Guides')
  return (
    <>
      <h1>Guides</h1>
      <p class="lead">How to run Coinstrata, what it publishes, and how to get it where you need it.</p>
      <dl class="guides">
        {guides.map(({ name, title, tells }) => (
          <div key={name}>
            <dt>
              <a href={addressOf(pathTo('guide', { name }))}>{title}</a>
            </dt>
            <dd>{tells}</dd>
          </div>
        ))}
        <div>
          <dt>
            <a href={addressOf('/docs')}>API</a>
          </dt>
          <dd>
            Every endpoint with its parameters and answers, to be tried in place; for programs the same as OpenAPI.
          </dd>
        </div>
      </dl>
    </>
  )
}
