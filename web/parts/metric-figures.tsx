import { pathTo, toHref } from '../app/router.ts'
import { readIndex } from '../data/catalogue.ts'
import { read } from '../data/client.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Failed } from './failed.tsx'
import { Figures } from './figures.tsx'
import { ordinal, writeChange, writeValue } from './numbers.ts'

export function MetricFigures({
  metrics,
}: {
  readonly metrics: readonly { readonly id: string; readonly name: string }[]
}) {
  const ids = metrics.map(({ id }) => id).join()
  const { value, error, retry } = useAnswer(async () => {
    const [{ data }, { byId }] = await Promise.all([read('metrics/percentiles', { metrics: ids }), readIndex()])
    return { standings: new Map(data.map((one) => [one.id, one])), byId }
  }, [ids])
  if (error !== undefined && !value) return <Failed error={error} retry={retry} />
  return (
    <Figures
      figures={metrics.map(({ id, name }) => {
        const standing = value?.standings.get(id)
        const unit = shortUnit(value?.byId.get(id)?.unit ?? '')
        const change = standing && writeChange(unit, standing.value_7d_ago, standing.value)
        return {
          name: <a href={toHref(pathTo('metric', { id }))}>{name}</a>,
          key: id,
          value: standing ? formatValue(unit, standing.value) : value ? '–' : '\u00a0',
          note: standing
            ? [change && `${change} in 7 d`, `${ordinal(standing.percentile)} percentile`].filter(Boolean).join(', ')
            : '\u00a0',
        }
      })}
    />
  )
}

/** Block intervals are given in minutes. */
const formatValue = (unit: string, value: number): string =>
  unit === 'seconds' ? `${writeValue('', value / 60)}\u00a0min` : writeValue(unit, value)

/** The name states the rest of the unit. */
const shortUnit = (unit: string): string => (unit.startsWith('USD per ') ? 'USD' : unit)
