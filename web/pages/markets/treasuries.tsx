import { route } from '../../app/router.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { type FullRow, read, readFull } from '../../data/client.ts'
import { daysPerYear, readRecentDays } from '../../data/columns.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { longDate } from '../../parts/numbers.ts'
import { PillNav } from '../../parts/pill-nav.tsx'
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
import { changeWithin, lastValue } from './last-values.ts'
import { LinesBegin, Market } from './market.tsx'

const kinds: Readonly<Record<string, readonly [plural: string, singular: string]>> = {
  public: ['Public companies', 'Public company'],
  private: ['Private companies', 'Private company'],
  government: ['Governments', 'Government'],
  fund: ['Other funds', 'Fund'],
  protocol: ['Protocols', 'Protocol'],
  custodian: ['Custodians', 'Custodian'],
}
const kindChoices = [{ id: 'all', name: 'All' }, ...Object.entries(kinds).map(([id, [name]]) => ({ id, name }))]

const holdingsMetric = (id: number): string => `dat_btc_amount_${id}`

async function readEntities(lastDate: string) {
  const [registry, aggregate] = await Promise.all([
    read('dat/registry', { limit: 1_000 }),
    readFull('dat/aggregate', { limit: 1 }),
  ])
  const [total] = aggregate.data
  if (total === undefined) return undefined
  const ids = registry.data.map(({ id }) => holdingsMetric(id))
  const columns = await readRecentDays([...ids, 'price', 'circulating_supply'], lastDate, daysPerYear)
  const [price, supply] = ['price', 'circulating_supply'].map((id) => lastValue(columns.values.get(id)) ?? Number.NaN)
  const entities = registry.data.map((entity) => {
    const line = columns.values.get(holdingsMetric(entity.id)) ?? new Float64Array()
    const holdings = lastValue(line)
    return {
      ...entity,
      metric: holdingsMetric(entity.id),
      line,
      holdings,
      value: holdings === undefined ? undefined : holdings * price!,
      share: holdings === undefined ? undefined : (100 * holdings) / supply!,
      month: changeWithin(line, 30),
    }
  })
  return { entities, total, columns }
}

type Entity = NonNullable<Awaited<ReturnType<typeof readEntities>>>['entities'][number]

const columns: readonly SortableColumn<Entity>[] = [
  nameColumn(
    'name',
    'Name',
    ({ name }) => name,
    ({ ticker }) => ticker,
  ),
  { ...textColumn('kind', 'Kind', ({ type }) => type), show: ({ type }) => kinds[type]?.[1] ?? type },
  countryColumn,
  {
    ...textColumn('since', 'Since', ({ first_date }) => first_date),
    show: ({ first_date }) => first_date?.slice(0, 4) ?? '–',
  },
  ...holdingsColumns,
  numberColumn('month', '30 days', ({ month }) => month, formatCoins),
  numberColumn(
    'value',
    'Value',
    ({ value }) => value,
    (usd) => formatValue('USD', usd),
    'phone',
  ),
  numberColumn('share', 'Of the supply', ({ share }) => share, percentFormatter(3), 'phone'),
]

const chartNote =
  'What each kind of holder had reported by that day, stacked. A step shows when a report came, not when coins were bought.'
const chart: ChartOptions = {
  metrics: Object.entries(kinds).map(([kind, [label]]) => ({
    id: kind === 'public' || kind === 'private' ? `dat_${kind}_company_btc` : `dat_${kind}_btc`,
    label,
  })),
  style: 'area',
  stacked: true,
}

export function Treasuries() {
  const kind = route.value.query.get('kind') ?? 'all'
  return (
    <Market read={readEntities} what="treasuries" sources={['coingecko']}>
      {({ entities, total, columns: recent }) => (
        <>
          <Facts class="figures" facts={createFigures(total)} />
          <LazyPanel title="Who holds how much" note={chartNote} options={chart} defaultRange="4y" height={380} />
          <PillNav label="Kinds of holders" parameter="kind" chosen={kind} choices={kindChoices} />
          <SortableTable
            caption={kinds[kind]?.[0] ?? 'All treasuries'}
            columns={columns}
            rows={entities.filter(({ type, holdings }) => holdings !== undefined && (kind === 'all' || type === kind))}
            defaultSort="-holdings"
          />
          <LinesBegin columns={recent} />
        </>
      )}
    </Market>
  )
}

function createFigures(total: FullRow<'dat/aggregate'>): Fact[] {
  const { date, total_btc, total_companies, public_company_btc, government_btc, total_value_usd } = total
  const { pct_of_supply, net_change_btc } = total
  return [
    [
      'Held by companies',
      formatValue('BTC', total_btc),
      `${formatCount(total_companies)} companies, ${formatValue('percent', pct_of_supply)} of the supply`,
    ],
    ['Value', formatValue('USD', total_value_usd), `at the close of ${longDate(String(date))}`],
    ['Change, 1 day', formatSigned('BTC', net_change_btc), 'of what companies report'],
    ['Public companies', formatValue('BTC', public_company_btc), `governments ${formatValue('BTC', government_btc)}`],
  ]
}
