import { networkTemplates } from '#render/request/templates/network.ts'
import { useTitle } from '../../app/title.ts'
import { ReadyChart } from '../../chart/ready-chart.tsx'
import { Numbers } from '../../parts/numbers-of-metrics.tsx'
import { Period } from './period.tsx'

const numbers = Object.entries({
  hash_rate_7d: 'Hash rate, 7 days',
  difficulty: 'Difficulty',
  hash_price: 'Hash price, per PH/s and day',
  block_interval: 'Time between blocks',
  miner_revenue_usd: 'Daily revenue',
  fees_percent: 'Fees, share of revenue',
  fee_median_usd: 'Median fee',
  puell_multiple: 'Puell multiple',
}).map(([id, name]) => ({ id, name }))

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
