import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate, parseDay } from '#base/days.ts'
import { toHref } from '../../app/router.ts'
import { read } from '../../data/client.ts'
import { Bar } from '../../parts/bar.tsx'
import { writeCount, writeValue } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useLastDay } from '../../parts/use-answer.tsx'

const shown = 12
const monthDays = 30
const maxWeight = 4_000_000

export function BlocksAndPools() {
  const { value, failure } = useLastDay(async (last) => {
    const start_date = isoDate(parseDay(last) - monthDays + 1)
    const requests = [read('blocks', { limit: shown }), read('pools'), read('pools', { start_date })] as const
    const [{ data: blocks }, { data: week }, { data: month }] = await Promise.all(requests)
    const ofWeek = new Map(week.map(({ pool, share_percent }) => [pool, share_percent]))
    const pools = month.map(({ pool, name, share_percent: share }) => ({ name, share, week: ofWeek.get(pool) }))
    return { blocks, pools, names: new Map(month.map(({ pool, name }) => [pool, name])) }
  })
  if (failure) return failure
  return (
    <div class="two charts">
      <section>
        <h2>Last blocks</h2>
        <Table
          class="numbers"
          rows={value?.blocks}
          rowProps={({ hash }) => ({ title: hash })}
          expected={shown}
          columns={[
            { name: 'Block', show: ({ height }) => writeCount(height) },
            { name: 'time, UTC', show: ({ time }) => time.slice(5, 16).replace('T', ' ') },
            { name: 'pool', class: 'name', show: ({ pool }) => value?.names.get(pool ?? '') ?? pool ?? '–' },
            {
              name: 'full',
              class: 'not-phone',
              show: ({ weight }) => writeValue('percent', (100 * weight) / maxWeight),
            },
            { name: 'fees', show: ({ fees_sats }) => writeValue('BTC', fees_sats / satsPerCoin) },
            {
              name: 'sat/vB',
              class: 'not-phone',
              show: ({ fee_rate_median: rate }) => (rate === null ? '–' : writeValue('', rate)),
            },
          ]}
        />
      </section>
      <section class="pools">
        <h2>Pools</h2>
        <Table
          class="numbers"
          rows={value?.pools.slice(0, shown)}
          expected={shown}
          columns={[
            { name: 'Pool', show: ({ name }) => name },
            { name: '7 days', show: ({ week }) => writeValue('percent', week ?? 0) },
            { name: '30 days', show: ({ share }) => writeValue('percent', share ?? 0) },
            { name: '', class: 'shares', show: ({ share }) => <Bar share={(share ?? 0) / 100} /> },
          ]}
        />
        <p class="muted">
          Shares of all blocks. <a href={toHref('/guides/market-data#mining-pools')}>How blocks get their pool</a>
        </p>
      </section>
    </div>
  )
}
