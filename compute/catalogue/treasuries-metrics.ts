import type { MetricKind } from '#contract/metric-kinds.ts'
import type { Unit } from '#contract/units.ts'
import { entities } from '#ingest/market/reference.ts'
import { type MeasuredRow, type MetricRow, percent, sameField } from './definition.ts'
import type { OriginColumn } from './origin.ts'

function total(
  field: OriginColumn<'treasuries_aggregate'>,
  name: string,
  unit: Unit,
  description: string,
  shown: Pick<MeasuredRow, 'kind' | 'style'> = { kind: 'level', style: 'area' },
): MetricRow {
  return {
    id: `dat_${field}`,
    field,
    from: { table: 'treasuries_aggregate', column: field },
    name,
    unit,
    description,
    ...shown,
  }
}

const others = [
  ['government_btc', 'governments'],
  ['fund_btc', 'funds other than ETFs'],
  ['protocol_btc', 'protocols that wrap it'],
  ['custodian_btc', 'estates and custodians'],
] as const

/** Companies, states and others that report their bitcoin. */
export const treasuries: readonly MetricRow[] = [
  total(
    'total_btc',
    'Treasury holdings',
    'BTC',
    'Bitcoin held by all tracked public and private companies; what a parent consolidates counts once.',
  ),
  total('total_companies', 'Treasury companies', 'count', 'Number of tracked companies that hold bitcoin.', {
    kind: 'level',
  }),
  total('public_company_btc', 'Holdings of public companies', 'BTC', 'Bitcoin held by tracked public companies.'),
  total('private_company_btc', 'Holdings of private companies', 'BTC', 'Bitcoin held by tracked private companies.'),
  ...others.map(([field, words]) => total(field, `Holdings of ${words}`, 'BTC', `Bitcoin held by tracked ${words}.`)),
  total(
    'net_change_btc',
    'Treasury net change',
    'BTC',
    'Change of what the tracked companies hold since the day before; what the first report of each finds is no change.',
    { kind: 'flow', style: 'bar' },
  ),
  total('total_value_usd', 'Treasury value', 'USD', 'Holdings of the tracked companies at the price of the day.'),
  total(
    'cumulative_money_flow',
    'Treasury cumulative flow in USD',
    'USD',
    'All changes of what the companies hold, each at the price of its day.',
  ),
  percent('dat_supply_percent', 'Treasury share of supply', '100 * dat_total_btc / circulating_supply', {
    aliases: ['dat_pct_of_supply'],
    field: 'pct_of_supply',
    description: 'Bitcoin held by the tracked companies as a share of the circulating supply.',
  }),
  ...entities.flatMap(({ id, name }): MetricRow[] => {
    const one = (
      field: OriginColumn<'treasuries'>,
      what: string,
      unit: Unit,
      kind: MetricKind,
      row: Pick<MeasuredRow, 'description' | 'style'>,
    ): MetricRow => ({
      id: `dat_${field.replace('_pct', '_percent')}_${id}`,
      ...sameField({ table: 'treasuries', column: field, key: String(id) }, kind, { endpoint: `dat/entity?id=${id}` }),
      name: `${name}: ${what}`,
      unit,
      aliases: [
        ...(field.endsWith('_pct') ? [`dat_${field}_${id}`] : []),
        ...(name === 'Strategy' ? [`MicroStrategy ${what}`] : []),
      ],
      ...row,
    })
    return [
      one('btc_amount', 'holdings', 'BTC', 'level', {
        description: `Bitcoin held by ${name}, as last reported.`,
        style: 'area',
      }),
      one('net_flow_btc', 'net flow', 'BTC', 'flow', {
        description: `Change of what ${name} holds since the day before.`,
      }),
      one('market_share_pct', 'market share', 'percent', 'level', {
        description: `Share of ${name} in what all tracked entities of every type hold.`,
      }),
    ]
  }),
]
