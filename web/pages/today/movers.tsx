import { pathTo, toHref } from '../../app/router.ts'
import { readIndex } from '../../data/catalogue.ts'
import { readFull } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { writeValue } from '../../parts/numbers.ts'
import { SkeletonRows, TableHead } from '../../parts/sortable-table.tsx'
import { useNear } from '../../parts/use-near.ts'

const shown = 8

export function Movers() {
  const { target: place, isNear } = useNear<HTMLElement>()
  const { value, error, retry } = useAnswer(async () => {
    // This request covers all metrics, so it must not delay the charts above.
    if (!isNear) return undefined
    const [{ data }, { byId }] = await Promise.all([readFull('metrics/percentiles'), readIndex()])
    const distance = ({ change_percentile: rank }: (typeof data)[number]) => Math.abs((rank ?? 50) - 50)
    const sorted = data.toSorted((a, b) => distance(b) - distance(a))
    const families = Map.groupBy(sorted, ({ id, like }) => like ?? id)
    return [...families.values()].slice(0, shown).map(([first]) => ({ ...first!, entry: byId.get(first!.id) }))
  }, [isNear])
  return (
    <section ref={place}>
      <h2>Most unusual changes</h2>
      {error && !value ? (
        <Failed error={error} retry={retry} />
      ) : (
        <table class="numbers">
          <TableHead columns={['Metric', 'now', 'in a week', 'percentile']} />
          <tbody>
            {value?.map(({ id, value: now, change, change_unit, change_percentile, entry }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={toHref(pathTo('metric', { id }))}>{entry?.name ?? id}</a>
                </th>
                <td>{writeValue(entry?.unit ?? '', now)}</td>
                <td>{writeValue(change_unit ?? '', change ?? 0)}</td>
                <td>{Math.round(change_percentile ?? 50)}</td>
              </tr>
            )) ?? <SkeletonRows rows={shown} columns={4} />}
          </tbody>
        </table>
      )}
    </section>
  )
}
