import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate, parseDay } from '#base/days.ts'
import { toHref } from '../../app/router.ts'
import { read } from '../../data/client.ts'
import { health } from '../../data/freshness.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Bar } from '../../parts/bar.tsx'
import { Failed } from '../../parts/failed.tsx'
import { writeCount, writeValue } from '../../parts/numbers.ts'
import { SkeletonRows, TableHead } from '../../parts/sortable-table.tsx'

const shown = 12
const monthDays = 30
const maxWeight = 4_000_000

export function BlocksAndPools() {
  const { last_date } = health.value?.published ?? {}
  const { value, error, retry } = useAnswer(async () => {
    if (last_date === undefined) return undefined
    const start_date = isoDate(parseDay(last_date) - monthDays + 1)
    const requests = [read('blocks', { limit: shown }), read('pools'), read('pools', { start_date })] as const
    const [{ data: blocks }, { data: week }, { data: month }] = await Promise.all(requests)
    const ofWeek = new Map(week.map(({ pool, share_percent }) => [pool, share_percent]))
    const pools = month.map(({ pool, name, share_percent: share }) => ({ pool, name, share, week: ofWeek.get(pool) }))
    return { blocks, pools, names: new Map(month.map(({ pool, name }) => [pool, name])) }
  }, [last_date])
  if (!value && error !== undefined) return <Failed error={error} retry={retry} />
  return (
    <div class="two charts">
      <section>
        <h2>Last blocks</h2>
        <table class="numbers">
          <TableHead
            columns={['Block', 'time, UTC', ['pool', 'name'], ['full', 'not-phone'], 'fees', ['sat/vB', 'not-phone']]}
          />
          <tbody>
            {value?.blocks.map(({ height, hash, time, pool, weight, fees_sats, fee_rate_median: rate }) => (
              <tr key={height} title={hash}>
                <th scope="row">{writeCount(height)}</th>
                <td>{time.slice(5, 16).replace('T', ' ')}</td>
                <td class="name">{value.names.get(pool ?? '') ?? pool ?? '–'}</td>
                <td class="not-phone">{writeValue('percent', (100 * weight) / maxWeight)}</td>
                <td>{writeValue('BTC', fees_sats / satsPerCoin)}</td>
                <td class="not-phone">{rate === null ? '–' : writeValue('', rate)}</td>
              </tr>
            )) ?? <SkeletonRows rows={shown} columns={6} />}
          </tbody>
        </table>
      </section>
      <section class="pools">
        <h2>Pools</h2>
        <table class="numbers">
          <TableHead columns={['Pool', '7 days', '30 days', ['', 'shares']]} />
          <tbody>
            {value?.pools.slice(0, shown).map(({ pool, name, share, week }) => (
              <tr key={pool}>
                <th scope="row">{name}</th>
                <td>{writeValue('percent', week ?? 0)}</td>
                <td>{writeValue('percent', share ?? 0)}</td>
                <td class="shares">
                  <Bar share={(share ?? 0) / 100} />
                </td>
              </tr>
            )) ?? <SkeletonRows rows={shown} columns={4} />}
          </tbody>
        </table>
        <p class="muted">
          Shares of all blocks. <a href={toHref('/guides/market-data#mining-pools')}>How blocks get their pool</a>
        </p>
      </section>
    </div>
  )
}
