import { isVariant } from '#contract/variants.ts'
import { pathTo, toHref } from '../../app/router.ts'
import type { CatalogueIndex, IndexEntry } from '../../data/catalogue.ts'
import { type FullRow, read } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Facts } from '../../parts/facts.tsx'
import { writeValue } from '../../parts/numbers.ts'

const maxRelated = 12

interface RelatedProps {
  readonly definition: FullRow<'metrics/{metric_id}'>
  readonly index: CatalogueIndex
}

export function Related({ definition, index }: RelatedProps) {
  const { id, related } = definition
  const near = related.flatMap((one) => index.byId.get(one) ?? []).slice(0, maxRelated)
  const ids = near.map((one) => one.id).join()
  const { value } = useAnswer(
    async () => (ids === '' ? undefined : read('metrics/percentiles', { metrics: ids })),
    [ids],
  )
  const values = new Map(value?.data.map((one) => [one.id, one.value]))
  const kin = findVariants(id, index)
  return (
    <section>
      <h2>Related</h2>
      <p class="muted">The metrics it is computed from, and those computed from it</p>
      <Facts
        facts={near.map(({ id: other, name, unit }) => [
          <a href={toHref(pathTo('metric', { id: other }))}>{name}</a>,
          values.has(other) ? writeValue(unit, values.get(other) ?? Number.NaN) : '',
        ])}
      />
      {kin.length > 0 && (
        <details class="kin">
          <summary>Of other coins ({kin.length})</summary>
          <ul>
            {kin.map(({ id: other, name }) => (
              <li key={other}>
                <a href={toHref(pathTo('metric', { id: other }))}>{name}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** The same measure of cohorts, exchanges, funds or entities. */
const findVariants = (id: string, { metrics }: CatalogueIndex): IndexEntry[] =>
  metrics.filter((one) => one.id !== id && isVariant(one) && (one.id.startsWith(`${id}_`) || one.id.endsWith(`_${id}`)))
