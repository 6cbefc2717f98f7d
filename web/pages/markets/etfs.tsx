import { memberIdSuffix } from '#contract/metric-ids.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { type FullRow, read, readFull } from '../../data/client.ts'
import { daysPerYear, readRecentDays } from '../../data/columns.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { longDate, signed } from '../../parts/numbers.ts'
import { type SortableColumn, SortableTable } from '../../parts/sortable-table.tsx'
import {
  countryColumn,
  formatCoins,
  formatCount,
  formatSigned,
  formatValue,
  holdingsColumns,
  nameColumn,
  numberColumn,
  percentFormatter,
  textColumn,
} from './cells.tsx'
import { lastValue, sumLast } from './last-values.ts'
import { LinesBegin, Market } from './market.tsx'

const holdingsMetric = (ticker: string): string => `etf_btc_holdings_${memberIdSuffix(ticker)}`
const flowMetric = (ticker: string): string => `etf_net_flow_btc_${memberIdSuffix(ticker)}`
const premiumMetric = (ticker: string): string => `etf_premium_${memberIdSuffix(ticker)}`

async function readFunds(lastDate: string) {
  const [registry, aggregate] = await Promise.all([
    read('etf/registry', { limit: 1_000 }),
    readFull('etf/aggregate', { limit: 1 }),
  ])
  const [total] = aggregate.data
  if (total === undefined) return undefined
  const tickers = registry.data.map(({ ticker }) => ticker)
  const [holdings, recent] = await Promise.all([
    readRecentDays(tickers.map(holdingsMetric), lastDate, daysPerYear),
    readRecentDays([...tickers.map(flowMetric), ...tickers.map(premiumMetric)], lastDate, 30),
  ])
  const funds = registry.data.map((fund) => {
    const { ticker } = fund
    const line = holdings.values.get(holdingsMetric(ticker)) ?? new Float64Array()
    const flows = recent.values.get(flowMetric(ticker))
    return {
      ...fund,
      metric: holdingsMetric(ticker),
      line,
      holdings: lastValue(line),
      flow: lastValue(flows),
      flow7: sumLast(flows, 7),
      flow30: sumLast(flows, 30),
      premium: lastValue(recent.values.get(premiumMetric(ticker))),
    }
  })
  return { funds, total, holdings }
}

type Fund = NonNullable<Awaited<ReturnType<typeof readFunds>>>['funds'][number]

const formatPremium = (premium: number | undefined): string =>
  premium === undefined ? '–' : signed(premium, percentFormatter(2)(Math.abs(100 * premium)))

const columns: readonly SortableColumn<Fund>[] = [
  nameColumn(
    'fund',
    'Fund',
    ({ ticker }) => ticker,
    ({ name }) => name,
  ),
  textColumn('issuer', 'Issuer', ({ issuer }) => issuer),
  countryColumn,
  ...holdingsColumns,
  numberColumn('day', 'Flow, 1 day', ({ flow }) => flow, formatCoins, 'phone'),
  numberColumn('week', '7 days', ({ flow7 }) => flow7, formatCoins),
  numberColumn('month', '30 days', ({ flow30 }) => flow30, formatCoins, 'phone'),
  numberColumn('premium', 'Premium', ({ premium }) => premium, formatPremium, 'narrow'),
  numberColumn('fee', 'Fee', ({ fee_percent }) => fee_percent, percentFormatter(2), 'narrow'),
]

const chartNote =
  'Bars show the net flow of seven days: above zero, more came in than left. The line shows what all funds hold together.'
const chart: ChartOptions = {
  metrics: [
    { id: 'etf_total_btc_holdings', style: 'line', y_axis_id: 'holdings' },
    { id: 'etf_net_flow_btc_7d_sum', style: 'bar', y_axis_id: 'flow', label: 'Net flow, 7 days' },
  ],
  y_axes: [
    { id: 'holdings', side: 'left', range: [38, 100], title: 'Holdings, BTC' },
    { id: 'flow', side: 'left', range: [0, 30], title: 'Flow' },
  ],
}

export const Etfs = () => (
  <Market read={readFunds} what="ETFs" sources={['ishares', '21shares']}>
    {({ funds, total, holdings: lines }) => (
      <>
        <Facts class="figures" facts={createFigures(total)} />
        <LazyPanel title="Holdings and flow" note={chartNote} options={chart} defaultRange="4y" height={380} />
        <SortableTable
          caption="Funds"
          columns={columns}
          rows={funds.filter(({ holdings }) => holdings !== undefined)}
          defaultSort="-holdings"
        />
        <Missing funds={funds} />
        <LinesBegin columns={lines} />
      </>
    )}
  </Market>
)

function createFigures(total: FullRow<'etf/aggregate'>): Fact[] {
  const { date, total_btc_holdings, total_aum_usd, dominance, etf_count, net_flow_btc } = total
  const { etf_net_flow_btc_7d_sum, realized_price } = total
  return [
    [
      'Holdings',
      formatValue('BTC', total_btc_holdings),
      `${formatCount(etf_count)} funds, ${formatValue('percent', dominance)} of the supply`,
    ],
    ['Assets', formatValue('USD', total_aum_usd), `at the close of ${longDate(String(date))}`],
    [
      'Flow, 7 days',
      formatSigned('BTC', etf_net_flow_btc_7d_sum),
      `${formatSigned('BTC', net_flow_btc)} on the last day`,
    ],
    ['What their coins cost', formatValue('USD', realized_price), 'on average, by the day they came in'],
  ]
}

function Missing({ funds }: { readonly funds: readonly Fund[] }) {
  const missing = funds.filter(({ holdings }) => holdings === undefined)
  return missing.length === 0 ? null : (
    <p class="remark">
      There is no data on {missing.length} more: {missing.map(({ ticker }) => ticker).join(', ')}.
    </p>
  )
}
