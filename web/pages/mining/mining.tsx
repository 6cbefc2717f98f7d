import { networkTemplates } from '#render/request/templates/network.ts'
import { useTitle } from '../../app/title.ts'
import { ReadyChart } from '../../chart/ready-chart.tsx'
import { Numbers } from '../../parts/numbers-of-metrics.tsx'
import { Period } from './period.tsx'

const numbers = [
  { id: 'hash_rate_7d', name: 'Hash rate, 7 days' },
  { id: 'difficulty', name: 'Difficulty' },
  { id: 'hash_price', name: 'Hash price, per PH/s and day' },
  { id: 'block_interval', name: 'Time between blocks' },
  { id: 'miner_revenue_usd', name: 'Daily revenue' },
  { id: 'fees_percent', name: 'Fees, share of revenue' },
  { id: 'fee_median_usd', name: 'Median fee' },
  { id: 'puell_multiple', name: 'Puell multiple' },
] as const

const { hash_ribbons, hash_price, miner_revenue, fee_share, fees, puell_multiple, difficulty_ribbon, block_interval } =
  networkTemplates

/** Who secures the chain, and what they earn. */
export function Mining() {
  useTitle('Mining')
  return (
    <>
      <h1>Mining</h1>
      <p class="lead">
        Miners are paid in new coins and fees. When that no longer covers their power, the weakest stop; difficulty then
        falls until it does.
      </p>
      <Numbers metrics={numbers} />
      <Period />
      <ReadyChart template={hash_ribbons} />
      <div class="two charts">
        <ReadyChart template={puell_multiple} height={320} />
        <ReadyChart template={hash_price} height={320} />
        <ReadyChart template={miner_revenue} height={320} />
        <ReadyChart template={fee_share} height={320} />
        <ReadyChart template={difficulty_ribbon} height={320} />
        <ReadyChart template={fees} height={320} />
      </div>
      <ReadyChart template={block_interval} height={320} />
    </>
  )
}
