import { isVariant } from '#contract/variants.ts'
import { pathTo, toHref } from '../../app/router.ts'
import type { CatalogueIndex, IndexEntry } from '../../data/catalogue.ts'
import type { FullRow } from '../../data/client.ts'
import { Facts } from '../../parts/facts.tsx'
import { writeValue } from '../../parts/numbers.ts'

interface RelatedProps {
  readonly id: string
  readonly related: readonly IndexEntry[]
  readonly index: CatalogueIndex
  readonly standings: ReadonlyMap<string, FullRow<'metrics/percentiles'>> | undefined
}

export function Related({ id, related, index, standings }: RelatedProps) {
  const kin = findVariants(id, index)
  return (
    <section>
      <h2>Related</h2>
      <p class="muted">The metrics it is computed from, and those computed from it</p>
      <Facts
        facts={related.map(({ id: other, name, unit }) => {
          const value = standings?.get(other)?.value
          return [
            <a href={toHref(pathTo('metric', { id: other }))}>{name}</a>,
            value === undefined ? '' : writeValue(unit, value),
          ]
        })}
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

const findVariants = (id: string, { metrics }: CatalogueIndex): IndexEntry[] =>
  metrics.filter((one) => one.id !== id && isVariant(one) && (one.id.startsWith(`${id}_`) || one.id.endsWith(`_${id}`)))
