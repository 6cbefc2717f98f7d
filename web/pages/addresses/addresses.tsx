import { boundNames } from '#contract/balance-measures.ts'
import { transactionTemplates } from '#render/request/templates/transactions.ts'
import { pathTo, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { TemplateChart } from '../../chart/template-chart.tsx'
import { MetricFigures } from '../../parts/metric-figures.tsx'
import { Balances, formatBound } from './balances.tsx'

const names = {
  active_addresses: 'Active on the day',
  funded_addresses: 'With coins',
  new_addresses: 'New on the day',
  total_exposed_supply_percent: 'Exposed coins, share',
}

const supplyBands = boundNames.map((from, i) => {
  const to = boundNames[i + 1]
  const [band, label] =
    to === undefined
      ? [`over_${from}`, `${formatBound(from)} BTC and more`]
      : [`${from}_to_${to}`, i === 0 ? `Below ${formatBound(to)} BTC` : `${formatBound(from)} to ${formatBound(to)}`]
  return { id: `supply_addresses_${band}_btc`, label, stacked: true, style: 'area' as const }
})

export function Addresses() {
  useTitle('Addresses')
  return (
    <>
      <h1>Addresses</h1>
      <p class="lead">
        Addresses are not people: one may have thousands, and one of an exchange may hold the coins of a million.{' '}
        <a href={toHref(pathTo('guide', { name: 'addresses' }))}>How addresses are counted</a>
      </p>
      <MetricFigures names={names} />
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
