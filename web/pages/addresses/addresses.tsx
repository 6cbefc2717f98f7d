import { transactionTemplates } from '#render/request/templates/transactions.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { TemplateChart } from '../../chart/template-chart.tsx'
import { MetricFigures } from '../../parts/metric-figures.tsx'
import { Balances } from './balances.tsx'

const figures = Object.entries({
  active_addresses: 'Active on the day',
  funded_addresses: 'With coins',
  new_addresses: 'New on the day',
  total_exposed_supply_percent: 'Exposed coins, share',
}).map(([id, name]) => ({ id, name }))

const supplyBands = Object.entries({
  '0_to_0_001': 'Below 0.001 BTC',
  '0_001_to_0_01': '0.001 to 0.01',
  '0_01_to_0_1': '0.01 to 0.1',
  '0_1_to_1': '0.1 to 1',
  '1_to_10': '1 to 10',
  '10_to_100': '10 to 100',
  '100_to_1k': '100 to 1,000',
  '1k_to_10k': '1,000 to 10,000',
  over_10k: '10,000 BTC and more',
}).map(([band, label]) => ({
  ...{ id: `supply_addresses_${band}_btc`, label, stacked: true, style: 'area' as const },
}))

export function Addresses() {
  useTitle('Addresses')
  return (
    <>
      <h1>Addresses</h1>
      <p class="lead">
        Addresses are not people: one may have thousands, and one of an exchange may hold the coins of a million.{' '}
        <a href={toHref(pathTo('guide', { name: 'addresses' }))}>How addresses are counted</a>
      </p>
      <MetricFigures metrics={figures} />
      <Balances />
      <TemplateChart template={transactionTemplates.active_addresses} />
      <div class="two charts">
        <TemplateChart template={transactionTemplates.addresses_by_balance} height={320} />
        <LazyPanel
          title="Supply by balance of address"
          note="Coins of the addresses that hold so much; estimates, unless all addresses are counted."
          options={{ metrics: supplyBands }}
          height={320}
        />
      </div>
    </>
  )
}
