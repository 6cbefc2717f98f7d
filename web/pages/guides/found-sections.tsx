import { pathTo, toHref } from '../../app/router.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { guides } from './guide-list.ts'
import { type GuideSection, searchSections } from './section-search.ts'

/** Sections of the guides with all words of the query; loads their text at the first search. */
export function FoundSections({ query, max }: { readonly query: string; readonly max: number }) {
  const { value, failure = null } = useAnswer(async () => (await import('guide:sections')).default, [])
  if (!value) return failure
  const found = searchSections(value, query, max)
  return (
    <>
      <p aria-live="polite">
        {found.length === 0 ? 'No guide contains all of these words.' : `${found.length} sections`}
      </p>
      <dl class="guides">
        {found.map(({ section, excerpt }) => (
          <div key={`${section.guide}#${section.id}`}>
            <dt>
              <SectionLink {...section} />
            </dt>
            <dd>{excerpt}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

export function SectionLink({ guide, heading, id }: GuideSection) {
  const title = guides.find(({ name }) => name === guide)?.title ?? guide
  const path = pathTo('guide', { name: guide })
  return <a href={toHref(id === '' ? path : `${path}#${id}`)}>{id === '' ? title : `${title}: ${heading}`}</a>
}
