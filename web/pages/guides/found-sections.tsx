import { pathTo, toHref } from '../../app/router.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { guides } from './guide-list.ts'
import { searchSections } from './section-search.ts'

interface FoundSectionsProps {
  readonly query: string
  readonly max: number
  /** Says how many there are, or that there are none. */
  readonly isAlone: boolean
}

/** Sections of the guides with all words of the query; loads their text at the first search. */
export function FoundSections({ query, max, isAlone }: FoundSectionsProps) {
  const { value, failure = null } = useAnswer(async () => (await import('guide:sections')).default, [])
  if (!value) return failure
  const found = searchSections(value, query, max)
  if (found.length === 0 && !isAlone) return null
  return (
    <>
      <p aria-live="polite">
        {!isAlone
          ? 'In the guides:'
          : found.length === 0
            ? 'No guide contains all of these words.'
            : `${found.length} sections`}
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
              {isAlone && <dd>{excerpt}</dd>}
            </div>
          )
        })}
      </dl>
    </>
  )
}
