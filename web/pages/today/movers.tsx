import { pathTo, toHref } from '../../app/router.ts'
import { readIndex } from '../../data/catalogue.ts'
import { readFull } from '../../data/client.ts'
import { writeValue } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { useNear } from '../../parts/use-near.ts'

const shown = 8

export function Movers() {
  const { target: place, isNear } = useNear<HTMLElement>()
  const { value, failure } = useAnswer(async () => {
    // This large request must not delay the charts above.
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
      {failure ?? (
        <Table
          class="numbers"
          rows={value}
          expected={shown}
          columns={[
            {
              name: 'Metric',
              show: ({ id, entry }) => <a href={toHref(pathTo('metric', { id }))}>{entry?.name ?? id}</a>,
            },
            { name: 'now', show: (one) => writeValue(one.entry?.unit ?? '', one.value) },
            { name: 'in a week', show: (one) => writeValue(one.change_unit ?? '', one.change ?? 0) },
            { name: 'percentile', show: (one) => Math.round(one.change_percentile ?? 50) },
          ]}
        />
      )}
    </section>
  )
}
