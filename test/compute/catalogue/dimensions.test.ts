import { expect, test } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'
import { dimensionUnit } from '#sql/formula/dimension.ts'

const cohorts = listCohorts({ days: Int32Array.of(14_247) }, 210_000, 14_247 + 5000)
const { definitions } = createCatalogue(networks.mainnet, cohorts)
const members = Map.groupBy(definitions, ({ dimension }) => dimension)
const idsOf = (dimension: string) => members.get(dimension)?.map(({ id }) => id) ?? []

test('every metric has one of these dimensions, of its unit', () => {
  expect([...members.keys()].sort()).toEqual(
    [
      ...[
        'USD',
        'USD per coin',
        'USD per day',
        'USD per transaction',
        'USD per PH/s per day',
        'USD-days',
        'USD-days per day',
      ],
      ...[
        'BTC',
        'BTC per block',
        'BTC per day',
        'BTC per output',
        'BTC per transaction',
        'coin-days',
        'coin-days per day',
      ],
      ...['sats', 'sats per day', 'sats per USD', 'sats per vbyte', 'count', 'count per day', 'days', 'seconds'],
      ...[
        'bytes',
        'bytes per block',
        'bytes per day',
        'bytes per output',
        'bytes per transaction',
        'weight units per day',
      ],
      ...['ratio', 'percent', 'index', 'difficulty', 'H/s', 'hashes', 'hashes per day'],
    ].sort(),
  )
  for (const { id, unit, dimension } of definitions) expect([id, dimensionUnit(dimension)]).toEqual([id, unit])
})

test('prices are per coin, and nothing else is', () => {
  const inUsd = definitions.filter(({ unit, id }) => unit === 'USD' && !/_usd(_|$)/.test(id))
  const prices =
    /price|cost_basis_p\d\d|^(open|high|low|close|(asia|europe)_close|ath|(high|low)_1y|macd.*|bollinger_.*|delta_top|true_market_mean|cvdd.*)$/
  const wrong = inUsd.filter(({ id, dimension }) => prices.test(id) !== (dimension === 'USD per coin'))
  expect(wrong.map(({ id }) => id)).toEqual([])
})

test('what happens in a day is per day, sums of days and holdings are not', () => {
  const perDay = ['realized_profit', 'lth_realized_loss', 'transfer_volume_usd', 'fees_usd', 'volume', 'oi_delta_usd']
  expect(idsOf('USD per day')).toEqual(expect.arrayContaining(perDay))
  const amounts = [
    'market_cap',
    'realized_cap',
    'thermo_cap',
    'unrealized_pl',
    'total_oi_usd',
    'cumulative_realized_profit',
  ]
  expect(idsOf('USD')).toEqual(expect.arrayContaining(amounts))
  expect(idsOf('BTC')).toEqual(expect.arrayContaining(['circulating_supply', 'lth_supply', 'etf_total_btc_holdings']))
  expect(idsOf('BTC per day')).toEqual(expect.arrayContaining(['issuance', 'fees', 'spent_volume', 'etf_net_flow_btc']))
  expect(idsOf('ratio')).toEqual(expect.arrayContaining(['mvrv', 'sth_mvrv', 'sopr', 'nupl', 'mvrv_z', 'drawdown']))
  const wrong = definitions.filter(({ kind, dimension }) => kind === 'flow' && !dimension.endsWith(' per day'))
  expect(wrong.map(({ id }) => id)).toEqual([])
})
