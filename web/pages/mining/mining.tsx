import { networkTemplates } from '#render/request/templates/network.ts'
import { useTitle } from '../../app/title.ts'
import { TemplateChart } from '../../chart/template-chart.tsx'
import { MetricFigures } from '../../parts/metric-figures.tsx'
import { BlocksAndPools } from './blocks-and-pools.tsx'
import { Period } from './period.tsx'

const names = {
  hash_rate_7d: 'Hash rate, 7 days',
  difficulty: 'Difficulty',
  hash_price: 'Hash price, per PH/s and day',
  block_interval: 'Time between blocks',
  miner_revenue_usd: 'Daily revenue',
  fees_percent: 'Fees, share of revenue',
  fee_median_usd: 'Median fee',
  puell_multiple: 'Puell multiple',
}

const { hash_ribbons, hash_price, miner_revenue, fee_share, fees, puell_multiple, difficulty_ribbon, block_interval } =
  networkTemplates

export function Mining() {
  useTitle('Mining')
  return (
    <>
      <h1>Mining</h1>
      <p class="lead">
        Miners are paid in new coins and fees. When that no longer covers their power, the weakest stop; difficulty then
        falls until it does.
      </p>
      <MetricFigures names={names} />
      <Period />
      <BlocksAndPools />
      <TemplateChart template={hash_ribbons} />
      <div class="two charts">
        <TemplateChart template={puell_multiple} height={320} />
        <TemplateChart template={hash_price} height={320} />
        <TemplateChart template={miner_revenue} height={320} />
        <TemplateChart template={fee_share} height={320} />
        <TemplateChart template={difficulty_ribbon} height={320} />
        <TemplateChart template={fees} height={320} />
      </div>
      <TemplateChart template={block_interval} height={320} />
    </>
  )
}
