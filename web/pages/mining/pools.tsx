import { isoDate, parseDay } from '#base/days.ts'
import { route, toHref } from '../../app/router.ts'
import { read } from '../../data/client.ts'
import { health } from '../../data/freshness.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Bar } from '../../parts/bar.tsx'
import { Failed } from '../../parts/failed.tsx'
import { writeCount, writeValue } from '../../parts/numbers.ts'
import { PillNav } from '../../parts/pill-nav.tsx'
import { SkeletonRows, TableHead } from '../../parts/sortable-table.tsx'

const maxShown = 12
const spans = [7, 30].map((days) => ({ id: String(days), name: `${days} days`, days }))

/** Shares of the largest pools, and of those that are not known. */
export function Pools() {
  const { last_date } = health.value?.published ?? {}
  const span = spans.find(({ id }) => id === route.value.query.get('pools')) ?? spans[0]!
  const { value, error, retry } = useAnswer(async () => {
    if (last_date === undefined) return undefined
    return (await read('pools', { start_date: isoDate(parseDay(last_date) - span.days + 1) })).data
  }, [last_date, span.days])
  if (!value && error !== undefined) return <Failed error={error} retry={retry} />
  const known = value?.reduce((sum, { share_percent: share }) => sum + (share ?? 0), 0)
  return (
    <section class="pools">
      <h2>Pools</h2>
      <p class="muted">
        Pools name themselves in their blocks, and small ones may mine what a large one has put together:{' '}
        <a href={toHref('/guides/market-data#mining-pools')}>how blocks get their pool</a>.
      </p>
      <PillNav label="Blocks of the last" parameter="pools" chosen={span.id} choices={spans} />
      <table class="numbers">
        <TableHead columns={['Pool', 'blocks', 'share', ['', 'shares'], ['hash rate', 'not-phone']]} />
        <tbody>
          {value?.slice(0, maxShown).map(({ pool, name, blocks, share_percent: share, hash_rate: rate }) => (
            <tr key={pool}>
              <th scope="row">{name}</th>
              <td>{writeCount(blocks)}</td>
              <td>{writeValue('percent', share ?? Number.NaN)}</td>
              <td class="shares">
                <Bar share={(share ?? 0) / 100} />
              </td>
              <td class="not-phone">{writeValue('H/s', rate ?? Number.NaN)}</td>
            </tr>
          )) ?? <SkeletonRows rows={maxShown} columns={5} />}
        </tbody>
      </table>
      <p class="muted">
        {value && value.length > maxShown && `${writeCount(value.length - maxShown)} more pools found blocks. `}
        {known !== undefined &&
          `The pool of ${writeValue('percent', Math.max(0, 100 - known))} of the blocks is not known.`}
      </p>
    </section>
  )
}
