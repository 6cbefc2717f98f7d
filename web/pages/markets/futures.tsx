import { isoDate } from '#base/days.ts'
import { memberIdSuffix } from '#contract/metric-ids.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { type Row, read } from '../../data/client.ts'
import { daysPerYear, readRecentDays } from '../../data/columns.ts'
import { Bar } from '../../parts/bar.tsx'
import { LoadFailure } from '../../parts/failed.tsx'
import { type Figure, Figures } from '../../parts/figures.tsx'
import { longDate, writeChange } from '../../parts/numbers.ts'
import { SortableTable, type TableColumn } from '../../parts/sortable-table.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import {
  figure,
  formatCount,
  formatSigned,
  formatValue,
  lineColumn,
  Name,
  numberColumn,
  percentFormatter,
  unitFormatter,
} from './cells.tsx'
import { LinesBegin, Market, useMarket } from './market.tsx'
import { lastValue } from './series.ts'

interface Exchange {
  readonly id: string
  readonly name: string
  readonly openInterest: Float64Array
  /** In percent. */
  readonly share: number | undefined
  readonly funding: Float64Array
}

async function readTotals() {
  const [openInterest, funding] = await Promise.all([
    read('futures/oi', { limit: 8 }),
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
    {({ openInterest, funding }) => (
      <>
        <Figures figures={createFigures(openInterest, funding)} />
        <LazyPanel title="Open interest and funding" note={chartNote} options={chart} defaultRange="4y" height={380} />
        <Exchanges />
      </>
    )}
  </Market>
)

function createFigures(
  openInterest: readonly Row<'futures/oi'>[],
  funding: readonly Row<'funding/aggregate'>[],
): Figure[] {
  const [now, before, rate] = [openInterest[0], openInterest[7], funding[0]]
  const total = now?.total_oi_usd
  const annual = (value: number | null | undefined) => (value === null || value === undefined ? value : 100 * value)
  const month = funding.flatMap(({ annualized }) => annualized ?? [])
  const mean = month.length > 0 ? month.reduce((sum, one) => sum + one, 0) / month.length : undefined
  const change = total && writeChange('USD', before?.total_oi_usd ?? null, total)
  const spread = rate === undefined || rate.spread === null ? undefined : 100 * (rate.spread ?? 0)
  return [
    figure(
      'Open interest',
      formatValue('USD', total),
      now && `${formatCount(now.exchange_count)} exchanges, ${longDate(String(now.date))}`,
    ),
    figure('Change, 7 days', change || '–', 'of open interest in dollars'),
    figure(
      'Funding, a year',
      formatSigned('percent', annual(rate?.annualized)),
      `${formatSigned('percent', annual(mean))} on average of 30 days`,
    ),
    figure('Spread', percentFormatter(3)(spread), 'between exchanges, for 8 hours'),
  ]
}

async function readExchanges(lastDate: string) {
  const { data } = await read('oi/exchanges', { limit: 100 })
  const exchangeMetrics = (exchange: string) =>
    [
      `oi_usd_${memberIdSuffix(exchange)}`,
      `oi_share_${memberIdSuffix(exchange)}`,
      `funding_annualized_${memberIdSuffix(exchange)}`,
    ] as const
  const columns = await readRecentDays(
    data.flatMap(({ exchange }) => exchangeMetrics(exchange)),
    lastDate,
    daysPerYear,
  )
  const exchanges = data.map(({ exchange, name }): Exchange => {
    const [openInterest, share, funding] = exchangeMetrics(exchange).map(
      (id) => columns.values.get(id) ?? new Float64Array(),
    )
    return { id: exchange, name, openInterest: openInterest!, share: lastPercent(share!), funding: funding! }
  })
  return { exchanges, linesFrom: columns.isCut ? isoDate(columns.firstDay) : undefined }
}

const lastPercent = (values: Float64Array): number | undefined => {
  const last = lastValue(values)
  return last === undefined ? undefined : 100 * last
}

const weekAgo = (values: Float64Array): number | null => values.at(-8) ?? null

const columns: readonly TableColumn<Exchange>[] = [
  {
    id: 'exchange',
    name: 'Exchange',
    value: ({ name }) => name,
    show: ({ id, name }) => <Name metric={`oi_usd_${memberIdSuffix(id)}`} name={name} />,
  },
  numberColumn('oi', 'Open interest', ({ openInterest }) => lastValue(openInterest), unitFormatter('USD')),
  numberColumn('share', 'Share', ({ share }) => share, unitFormatter('percent'), 'phone'),
  {
    id: 'bar',
    name: 'Of all',
    show: ({ share }) => share !== undefined && <Bar share={share / 100} />,
    hideOn: 'narrow',
  },
  {
    id: 'week',
    name: '7 days',
    isNumber: true,
    value: ({ openInterest }) => (lastValue(openInterest) ?? Number.NaN) / (weekAgo(openInterest) ?? Number.NaN),
    show: ({ openInterest }) => formatChange(openInterest),
    hideOn: 'phone',
  },
  lineColumn('line', ({ openInterest }) => openInterest),
  numberColumn(
    'funding',
    'Funding, a year',
    ({ funding }) => lastPercent(funding),
    (percent) => formatSigned('percent', percent),
  ),
  lineColumn('rates', ({ funding }) => funding),
]

function formatChange(values: Float64Array): string {
  const [now, before] = [lastValue(values), weekAgo(values)]
  const change = now === undefined || Number.isNaN(before) ? undefined : writeChange('USD', before, now)
  return change ?? '–'
}

/** Single exchanges need a higher tier than the totals. */
function Exchanges() {
  const { value, error, retry } = useMarket(readExchanges)
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
      <SortableTable
        caption="Exchanges"
        columns={columns}
        rows={value.exchanges}
        rowKey={({ id }) => id}
        defaultSort="-oi"
      />
      <LinesBegin on={value.linesFrom} />
    </>
  )
}
