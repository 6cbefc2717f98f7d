import { pageKeys } from '../../app/keyboard.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { SectionLink } from '../guides/found-sections.tsx'
import { searchSections } from '../guides/section-search.ts'

const max = 3

/** The first pages, charts and sections of the guides with all words of the query. */
export function FoundBeside({ query }: { readonly query: string }) {
  const { value, failure = null } = useAnswer(
    () => Promise.all([import('../charts/charts.tsx').then((page) => page.loadTemplates()), import('guide:sections')]),
    [],
  )
  if (!value) return failure
  const [{ templates }, sections] = value
  const words = query.toLowerCase().split(/\s+/)
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const charts = Object.entries(templates).filter(([name, one]) => has(`${name} ${one.title} ${one.subtitle}`))
  const kinds = {
    Pages: Object.values(pageKeys)
      .filter(({ name }) => has(name))
      .map(({ page, name }) => <a href={toHref(pathTo(page))}>{name}</a>),
    Charts: charts
      .sort(([, a], [, b]) => Number(has(b.title)) - Number(has(a.title)))
      .map(([t, { title }]) => <a href={toHref(`/charts?${new URLSearchParams({ t })}`)}>{title}</a>),
    Guides: searchSections(sections.default, query, max).map(({ section }) => <SectionLink {...section} />),
  }
  return (
    <dl class="facts found">
      {Object.entries(kinds)
        .filter(([, links]) => links.length > 0)
        .map(([kind, links]) => (
          <div key={kind}>
            <dt>{kind}</dt>
            <dd>{links.slice(0, max).flatMap((link, i) => (i === 0 ? [link] : [' · ', link]))}</dd>
          </div>
        ))}
    </dl>
  )
}
