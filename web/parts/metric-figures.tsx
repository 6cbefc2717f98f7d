import { pathTo, toHref } from '../app/router.ts'
import { readIndex } from '../data/catalogue.ts'
import { read } from '../data/client.ts'
import { Facts } from './facts.tsx'
import { ordinal, writeChange, writeValue } from './numbers.ts'
import { useAnswer } from './use-answer.tsx'

/** `names` are by metric id. */
export function MetricFigures({ names }: { readonly names: Readonly<Record<string, string>> }) {
  const ids = Object.keys(names).join()
  const { value, failure } = useAnswer(async () => {
    const [{ data }, { byId }] = await Promise.all([read('metrics/percentiles', { metrics: ids }), readIndex()])
    return { standings: new Map(data.map((one) => [one.id, one])), byId }
  }, [ids])
  if (failure) return failure
  return (
    <Facts
      class="figures"
      facts={Object.entries(names).map(([id, name]) => {
        const standing = value?.standings.get(id)
        const unit = shortUnit(value?.byId.get(id)?.unit ?? '')
        const change = standing && writeChange(unit, standing.value_7d_ago, standing.value)
        return [
          <a href={toHref(pathTo('metric', { id }))}>{name}</a>,
          standing ? formatValue(unit, standing.value) : value ? '–' : '\u00a0',
          standing
            ? [change && `${change} in 7 d`, `${ordinal(standing.percentile)} percentile`].filter(Boolean).join(', ')
            : '\u00a0',
        ]
      })}
    />
  )
}

/** Block intervals are given in minutes. */
const formatValue = (unit: string, value: number): string =>
  unit === 'seconds' ? `${writeValue('', value / 60)}\u00a0min` : writeValue(unit, value)

/** The name states the rest of the unit. */
const shortUnit = (unit: string): string => (unit.startsWith('USD per ') ? 'USD' : unit)
