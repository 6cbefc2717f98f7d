import { pathTo, toHref } from '../../app/router.ts'
import { readIndex } from '../../data/catalogue.ts'
import { read } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { writeValue } from '../../parts/numbers.ts'
import { TableHead } from '../../parts/sortable-table.tsx'
import { useNear } from '../../parts/use-near.ts'

const shown = 8
/** Variants of a measure, such as other windows, belong to one family. */
const metricFamily = (id: string): string => id.replace(/_(\d+[dwmy]|\d+w?_?\w*|sma|ema|sum|percent).*$/, '')

export function Movers() {
  const { target: place, isNear } = useNear<HTMLElement>()
  const { value, error, retry } = useAnswer(async () => {
    // This request covers all metrics, so it must not delay the charts above.
    if (!isNear) return undefined
    const [{ data }, { byId }] = await Promise.all([read('metrics/percentiles'), readIndex()])
    const families = new Set<string>()
    return data
      .flatMap((one) => {
        const { percentile, percentile_7d_ago: before } = one
        return before === null
          ? []
          : [{ ...one, before, change: Math.abs(percentile - before), entry: byId.get(one.id) }]
      })
      .sort((a, b) => b.change - a.change)
      .filter(({ id }) => !families.has(metricFamily(id)) && families.add(metricFamily(id)))
      .slice(0, shown)
  }, [isNear])
  return (
    <section ref={place}>
      <h2>What change</h2>
      <p class="muted">Largest changes in percentile over a week</p>
      {error && !value ? (
        <Failed error={error} retry={retry} />
      ) : (
        <table class="numbers">
          <TableHead columns={['Metric', 'now', 'percentile', 'a week ago']} />
          <tbody>
            {value
              ? value.map(({ id, value: now, percentile, before, entry }) => (
                  <tr key={id}>
                    <th scope="row">
                      <a href={toHref(pathTo('metric', { id }))}>{entry?.name ?? id}</a>
                    </th>
                    <td>{writeValue(entry?.unit ?? '', now)}</td>
                    <td>{Math.round(percentile)}</td>
                    <td class="muted">{Math.round(before)}</td>
                  </tr>
                ))
              : Array.from({ length: shown }, (_, i) => (
                  <tr key={i} class="skeleton">
                    <td colSpan={4}>{'\u00a0'}</td>
                  </tr>
                ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
