import { satsPerCoin } from '#base/bitcoin.ts'
import { read } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { space, writeCount, writeValue } from '../../parts/numbers.ts'
import { SkeletonRows, TableHead } from '../../parts/sortable-table.tsx'

const shown = 10
const maxWeight = 4_000_000

export function LastBlocks() {
  const { value, error, retry } = useAnswer(async () => {
    const [blocks, pools] = await Promise.all([read('blocks', { limit: shown }), read('pools')])
    const names = new Map(pools.data.map(({ pool, name }) => [pool, name]))
    return blocks.data.map(({ pool, ...block }) => ({ ...block, pool: names.get(pool ?? '') ?? pool }))
  }, [])
  if (!value && error !== undefined) return <Failed error={error} retry={retry} />
  return (
    <section>
      <h2>Last blocks</h2>
      <table class="numbers">
        <TableHead
          columns={[
            ...['Block', 'time, UTC'],
            ['pool', 'name'],
            ['transactions', 'not-phone'],
            ['full', 'not-phone'],
            'fees',
            ['median fee rate', 'not-phone'],
          ]}
        />
        <tbody>
          {value?.map(({ height, hash, time, pool, transactions, weight, fees_sats, fee_rate_median: rate }) => (
            <tr key={height}>
              <th scope="row" title={hash}>
                {writeCount(height)}
              </th>
              <td>{formatTime(time)}</td>
              <td class="name">{pool ?? '–'}</td>
              <td class="not-phone">{writeCount(transactions)}</td>
              <td class="not-phone">{writeValue('percent', (100 * weight) / maxWeight)}</td>
              <td>{writeValue('BTC', fees_sats / satsPerCoin)}</td>
              <td class="not-phone">{rate === null ? '–' : `${Number(rate.toPrecision(3))}${space}sat/vB`}</td>
            </tr>
          )) ?? <SkeletonRows rows={shown} columns={7} />}
        </tbody>
      </table>
    </section>
  )
}

/** `24 Nov, 14:05`. */
const formatTime = (instant: string): string =>
  new Date(instant).toLocaleString('en-GB', {
    ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' },
  })
