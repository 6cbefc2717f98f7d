import { pathTo, toHref } from '../../app/router.ts'
import { access } from '../../data/accounts.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import type { FullRow } from '../../data/client.ts'
import { Code } from '../../parts/code.tsx'
import { Facts } from '../../parts/facts.tsx'

const ofDays: Readonly<Record<DefinitionProps['definition']['aggregate'], string>> = {
  last: 'last value',
  first: 'first value',
  sum: 'sum of the days',
  mean: 'mean of the days',
  min: 'lowest of the days',
  max: 'highest of the days',
  formula: 'the formula over all days',
  counts: 'from all blocks of each pool',
}
const tiers = ['everyone', 'pro and higher', 'enterprise']

interface DefinitionProps {
  readonly definition: FullRow<'metrics/{metric_id}'>
  readonly index: CatalogueIndex
  readonly reading?: FullRow<'metrics/percentiles'> | undefined
}

export function Definition({ definition, index, reading }: DefinitionProps) {
  const { id, formula, unit, first_date, aggregate, source, variant, aliases, endpoint, field, grade } = definition
  const facts = [
    ['Unit', unit] as const,
    ['First value', first_date] as const,
    ['A week, month or year', ofDays[aggregate]] as const,
    ['Usual zones', reading?.zones.join('; ')] as const,
    ['Zones defined by', reading?.zones_source] as const,
    ['Variant', variant] as const,
    ['Source', source] as const,
    ['Also called', aliases.join(', ')] as const,
    ['Served at', `/v1/${endpoint}, field ${field}`] as const,
    ['Visible to', access.value?.access === 'open' ? '' : tiers[grade]] as const,
  ].filter(([, text]) => text)
  return (
    <section>
      <h2>Definition</h2>
      <p class="muted">
        {formula === null ? 'Measured, not computed from other metrics' : 'Evaluated exactly as written'}
      </p>
      {formula !== null && (
        <Code class="formula">
          {id} = <Linked formula={formula} index={index} />
        </Code>
      )}
      <Facts facts={facts} />
    </section>
  )
}

function Linked({ formula, index }: { readonly formula: string; readonly index: CatalogueIndex }) {
  const parts = formula.split(/([a-z][a-z0-9_]*)/)
  return (
    <>
      {parts.map((part, i) => {
        const metric = i % 2 === 1 ? index.byId.get(part) : undefined
        return metric ? (
          <a key={i} href={toHref(pathTo('metric', { id: metric.id }))} title={metric.name}>
            {part}
          </a>
        ) : (
          part
        )
      })}
    </>
  )
}
