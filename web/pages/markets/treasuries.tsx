import { isoDate } from '#base/days.ts'
import { addressOf, place } from '../../app/router.ts'
import type { Asked } from '../../chart/ask.ts'
import { OwnPanel } from '../../chart/own-panel.tsx'
import { type FullRow, type Row, read, readFull } from '../../data/client.ts'
import { readDays, year } from '../../data/recent-days.ts'
import { type Figure, Figures } from '../../parts/figures.tsx'
import { longDate } from '../../parts/numbers.ts'
import { SortableTable, type TableColumn } from '../../parts/sortable-table.tsx'
import { coins, counted, figure, Name, numberColumn, ofSupply, percentWith, signed, written } from './cells.tsx'
import { countryColumn, holdingsColumns } from './holder-columns.tsx'
import { LinesBegin, Market, NothingKnown, useMarket } from './market.tsx'
import { changeWithin, lastOf } from './series.ts'

interface Entity extends Row<'dat/registry'> {
  readonly metric: string
  readonly holdings: number | undefined
  readonly value: number | undefined
  readonly share: number | undefined
  readonly month: number | undefined
  readonly line: Float64Array
}

const kinds: Readonly<Record<string, string>> = {
  public: 'Public companies',
  private: 'Private companies',
  government: 'Governments',
  fund: 'Other funds',
  protocol: 'Protocols',
  custodian: 'Custodians',
}

const oneOf: Readonly<Record<string, string>> = {
  public: 'Public company',
  private: 'Private company',
  government: 'Government',
  fund: 'Fund',
  protocol: 'Protocol',
  custodian: 'Custodian',
}

const holdingsOf = (id: number): string => `dat_btc_amount_${id}`

async function readEntities(lastDate: string) {
  const [registry, aggregate] = await Promise.all([
    read('dat/registry', { limit: 1_000 }),
    readFull('dat/aggregate', { limit: 1 }),
  ])
  const ids = registry.data.map(({ id }) => holdingsOf(id))
  const columns = await readDays([...ids, 'price', 'circulating_supply'], lastDate, year)
  const [price, supply] = ['price', 'circulating_supply'].map((id) => lastOf(columns.values.get(id)) ?? Number.NaN)
  const entities = registry.data.map((entity): Entity => {
    const line = columns.values.get(holdingsOf(entity.id)) ?? new Float64Array()
    const holdings = lastOf(line)
    return {
      ...entity,
      metric: holdingsOf(entity.id),
      line,
      holdings,
      value: holdings === undefined ? undefined : holdings * price!,
      share: holdings === undefined ? undefined : (100 * holdings) / supply!,
      month: changeWithin(line, 30),
    }
  })
  return { entities, total: aggregate.data[0], linesFrom: columns.isCut ? isoDate(columns.firstDay) : undefined }
}

const columns: readonly TableColumn<Entity>[] = [
  {
    id: 'name',
    name: 'Name',
    value: ({ name }) => name,
    show: ({ name, ticker, metric }) => <Name metric={metric} name={name} also={ticker} />,
  },
  {
    id: 'kind',
    name: 'Kind',
    value: ({ type }) => type,
    show: ({ type }) => oneOf[type] ?? type,
    leftOut: 'narrow',
  },
  countryColumn,
  {
    id: 'since',
    name: 'Since',
    value: ({ first_date }) => first_date,
    show: ({ first_date }) => first_date?.slice(0, 4) ?? '–',
    leftOut: 'narrow',
  },
  ...holdingsColumns,
  numberColumn('month', '30 days', ({ month }) => month, coins),
  numberColumn(
    'value',
    'Value',
    ({ value }) => value,
    (value) => written('USD', value),
    'phone',
  ),
  numberColumn('share', 'Of the supply', ({ share }) => share, percentWith(3), 'phone'),
]

const chartNote =
  'What each kind of holder had reported by that day, stacked. A step shows when a report came, not when coins were bought.'
const chart: Asked = {
  metrics: Object.keys(kinds).map((kind) => ({
    id: kind === 'public' || kind === 'private' ? `dat_${kind}_company_btc` : `dat_${kind}_btc`,
    label: kinds[kind] ?? kind,
  })),
  style: 'area',
  stacked: true,
}

/** Who holds bitcoin, of one kind or all. */
export function Treasuries() {
  const loaded = useMarket(readEntities)
  const kind = place.value.query.get('kind') ?? 'all'
  return (
    <Market loaded={loaded}>
      {({ entities, total, linesFrom }) =>
        total === undefined ? (
          <NothingKnown what="treasuries" sources={['coingecko']} />
        ) : (
          <>
            <Figures figures={figuresOf(total)} />
            <OwnPanel title="Who holds how much" note={chartNote} asked={chart} usual="4y" height={380} />
            <Kinds chosen={kind} />
            <SortableTable
              caption={kinds[kind] ?? 'All treasuries'}
              columns={columns}
              rows={entities.filter(
                ({ type, holdings }) => holdings !== undefined && (kind === 'all' || type === kind),
              )}
              keyOf={({ id }) => id}
              sortedBy="-holdings"
            />
            <LinesBegin on={linesFrom} />
          </>
        )
      }
    </Market>
  )
}

function Kinds({ chosen }: { readonly chosen: string }) {
  return (
    <nav class="pills" aria-label="Kinds of holders">
      {[['all', 'All'] as const, ...Object.entries(kinds)].map(([kind, name]) => {
        const query = new URLSearchParams(place.value.query)
        if (kind === 'all') query.delete('kind')
        else query.set('kind', kind)
        return (
          <a
            key={kind}
            class="pill"
            href={addressOf(`/markets?${query}`)}
            aria-current={kind === chosen ? 'true' : undefined}
          >
            {name}
          </a>
        )
      })}
    </nav>
  )
}

function figuresOf(total: FullRow<'dat/aggregate'>): Figure[] {
  const { date, total_btc, total_companies, public_company_btc, government_btc, total_value_usd } = total
  const { pct_of_supply, net_change_btc } = total
  return [
    figure(
      'Held by companies',
      written('BTC', total_btc),
      `${counted(total_companies)} companies, ${ofSupply(pct_of_supply)}`,
    ),
    figure('Value', written('USD', total_value_usd), `at the close of ${longDate(String(date))}`),
    figure('Change, 1 day', signed('BTC', net_change_btc), 'of what companies report'),
    figure('Public companies', written('BTC', public_company_btc), `governments ${written('BTC', government_btc)}`),
  ]
}
