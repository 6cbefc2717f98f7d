import { memberIdSuffix } from '#contract/metric-ids.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { read } from '../../data/client.ts'
import { daysPerYear, readRecentDays } from '../../data/columns.ts'
import { Bar } from '../../parts/bar.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { LoadFailure } from '../../parts/failed.tsx'
import { longDate, writeChange } from '../../parts/numbers.ts'
import { type SortableColumn, SortableTable } from '../../parts/sortable-table.tsx'
import { useLastDay } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import {
  formatCount,
  formatSigned,
  formatValue,
  lineColumn,
  metricLink,
  nameColumn,
  numberColumn,
  percentFormatter,
} from './cells.tsx'
import { lastValue } from './last-values.ts'
import { LinesBegin, Market } from './market.tsx'

async function readTotals() {
  const [openInterest, funding] = await Promise.all([
    read('futures/oi', { limit: 31 }),
    read('funding/aggregate', { limit: 30 }),
  ])
  if (openInterest.data.length === 0 && funding.data.length === 0) return undefined
  return { openInterest: openInterest.data, funding: funding.data }
}

const chartNote =
  'When funding is high and open interest rises, many pay to bet on rising prices, and must sell if prices fall.'
const chart: ChartOptions = {
  metrics: [
    { id: 'total_oi_usd', style: 'line', y_axis_id: 'oi' },
    { id: 'funding_annualized', style: 'bar', y_axis_id: 'funding' },
  ],
  y_axes: [
    { id: 'oi', side: 'left', range: [38, 100], title: 'Open interest' },
    { id: 'funding', side: 'left', range: [0, 30], format: 'percent', title: 'Funding' },
  ],
}

export const Futures = () => (
  <Market read={readTotals} what="futures" sources={['binance', 'bybit', 'okx']}>
    {(totals) => (
      <>
        <Facts class="figures" facts={createFigures(totals)} />
        <LazyPanel title="Open interest and funding" note={chartNote} options={chart} defaultRange="4y" height={380} />
        <Exchanges />
      </>
    )}
  </Market>
)

type Totals = NonNullable<Awaited<ReturnType<typeof readTotals>>>

function createFigures({ openInterest, funding }: Totals): Fact[] {
  const [now, rate] = [openInterest[0], funding[0]]
  const total = now?.total_oi_usd
  const annual = (value: number | null | undefined) => (value === null || value === undefined ? value : 100 * value)
  const month = funding.flatMap(({ annualized }) => annualized ?? [])
  const mean = month.length > 0 ? month.reduce((sum, one) => sum + one, 0) / month.length : undefined
  const change = (days: number) => (total && writeChange('USD', openInterest[days]?.total_oi_usd ?? null, total)) || '–'
  const spread = rate === undefined || rate.spread === null ? undefined : 100 * (rate.spread ?? 0)
  return [
    [
      metricLink('total_oi_usd', 'Open interest'),
      formatValue('USD', total),
      now && `${formatCount(now.exchange_count)} exchanges, ${longDate(String(now.date))}`,
    ],
    ['Change, 30 days', change(30), `${change(7)} in 7 days`],
    [
      metricLink('funding_annualized', 'Funding, a year'),
      formatSigned('percent', annual(rate?.annualized)),
      `${formatSigned('percent', annual(mean))} on average of 30 days`,
    ],
    ['Spread', percentFormatter(3)(spread), 'between exchanges, for 8 hours'],
  ]
}

async function readExchanges(lastDate: string) {
  const { data } = await read('oi/exchanges', { limit: 100 })
  const suffixes = data.map(({ exchange }) => memberIdSuffix(exchange))
  const metrics = ['oi_usd', 'oi_share', 'funding_annualized']
  const ids = suffixes.map((suffix) => metrics.map((metric) => `${metric}_${suffix}`))
  const columns = await readRecentDays(ids.flat(), lastDate, daysPerYear)
  const exchanges = data.map(({ name }, i) => {
    const [openInterest, share, funding] = ids[i]!.map((id) => columns.values.get(id) ?? new Float64Array())
    return { metric: ids[i]![0]!, name, openInterest: openInterest!, share: lastPercent(share!), funding: funding! }
  })
  return { exchanges, columns }
}

type Exchange = Awaited<ReturnType<typeof readExchanges>>['exchanges'][number]

const lastPercent = (values: Float64Array): number | undefined => {
  const last = lastValue(values)
  return last === undefined ? undefined : 100 * last
}

const monthAgo = (values: Float64Array): number | null => values.at(-31) ?? null

const columns: readonly SortableColumn<Exchange>[] = [
  nameColumn('exchange', 'Exchange', ({ name }) => name),
  numberColumn(
    'oi',
    'Open interest',
    ({ openInterest }) => lastValue(openInterest),
    (usd) => formatValue('USD', usd),
  ),
  numberColumn(
    'share',
    'Share',
    ({ share }) => share,
    (percent) => formatValue('percent', percent),
    'phone',
  ),
  {
    id: 'bar',
    name: 'Of all',
    class: 'not-narrow',
    show: ({ share }) => share !== undefined && <Bar share={share / 100} />,
  },
  {
    id: 'month',
    name: '30 days',
    class: 'number not-phone',
    isNumber: true,
    value: ({ openInterest }) => (lastValue(openInterest) ?? Number.NaN) / (monthAgo(openInterest) ?? Number.NaN),
    show: ({ openInterest }) => formatChange(openInterest),
  },
  lineColumn('line', ({ openInterest }) => openInterest),
  {
    ...numberColumn('funding', 'Funding, a year', ({ funding }: Exchange) => lastPercent(funding), String),
    show: ({ metric, funding }) =>
      metricLink(metric.replace('oi_usd', 'funding_annualized'), formatSigned('percent', lastPercent(funding))),
  },
  lineColumn('rates', ({ funding }) => funding),
]

function formatChange(values: Float64Array): string {
  const [now, before] = [lastValue(values), monthAgo(values)]
  const change = now === undefined || Number.isNaN(before) ? undefined : writeChange('USD', before, now)
  return change ?? '–'
}

/** Single exchanges need a higher tier than the totals. */
function Exchanges() {
  const { value, error, retry } = useLastDay(readExchanges)
  if (value === undefined) {
    return error === undefined ? (
      <Waiting lines={7} />
    ) : (
      <section>
        <LoadFailure what="Single exchanges are shown" error={error} retry={retry} />
      </section>
    )
  }
  return (
    <>
      <SortableTable caption="Exchanges" columns={columns} rows={value.exchanges} defaultSort="-oi" />
      <LinesBegin columns={value.columns} />
    </>
  )
}
