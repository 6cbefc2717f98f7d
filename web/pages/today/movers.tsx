import { pathTo, toHref } from '../../app/router.ts'
import { readIndex } from '../../data/catalogue.ts'
import { readFull } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { writeValue } from '../../parts/numbers.ts'
import { TableHead } from '../../parts/sortable-table.tsx'
import { useNear } from '../../parts/use-near.ts'

const shown = 8

export function Movers() {
  const { target: place, isNear } = useNear<HTMLElement>()
  const { value, error, retry } = useAnswer(async () => {
    // This request covers all metrics, so it must not delay the charts above.
    if (!isNear) return undefined
    const [{ data }, { byId }] = await Promise.all([readFull('metrics/percentiles'), readIndex()])
    const ranked = data.map((one) => ({ ...one, rank: one.change_percentile ?? 50 }))
    const sorted = ranked.sort((a, b) => Math.abs(b.rank - 50) - Math.abs(a.rank - 50))
    const different = [...Map.groupBy(sorted, ({ id, like }) => like ?? id).values()].flatMap(([first]) => first ?? [])
    return different.slice(0, shown).map((one) => ({ ...one, entry: byId.get(one.id) }))
  }, [isNear])
  return (
    <section ref={place}>
      <h2>What changed</h2>
      <p class="muted">Most unusual changes over a week, by their percentile in the history of each metric</p>
      {error && !value ? (
        <Failed error={error} retry={retry} />
      ) : (
        <table class="numbers">
          <TableHead columns={['Metric', 'now', 'change', 'percentile']} />
          <tbody>
            {value
              ? value.map(({ id, value: now, change, change_unit, rank, entry }) => (
                  <tr key={id}>
                    <th scope="row">
                      <a href={toHref(pathTo('metric', { id }))}>{entry?.name ?? id}</a>
                    </th>
                    <td>{writeValue(entry?.unit ?? '', now)}</td>
                    <td>{writeValue(change_unit ?? '', change ?? 0)}</td>
                    <td class="muted">{Math.round(rank)}</td>
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
