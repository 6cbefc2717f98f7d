import { memberIdSuffix } from '#contract/metric-ids.ts'
import { type MetricKind, priceDimension } from '#contract/metric-kinds.ts'
import type { Unit } from '#contract/units.ts'
import { funds } from '#ingest/market/reference.ts'
import {
  btc,
  count,
  logUsd,
  type Measured,
  type MeasuredRow,
  type MetricRow,
  percent,
  ratio,
  sameField,
  usd,
} from './definition.ts'
import type { OriginColumn } from './origin.ts'

const total = (column: OriginColumn<'etf_aggregate'>, kind: MetricKind): Measured =>
  sameField({ table: 'etf_aggregate', column }, kind)

export const etfs: readonly MetricRow[] = [
  btc('etf_total_btc_holdings', 'ETF holdings', total('total_btc_holdings', 'level'), {
    description: 'Bitcoin held by all tracked exchange-traded funds. Funds that hold other funds are not counted.',
    style: 'area',
  }),
  usd('etf_total_aum_usd', 'ETF assets', total('total_aum_usd', 'level'), {
    description: 'Assets under management of all tracked bitcoin funds.',
    style: 'area',
  }),
  btc('etf_net_flow_btc', 'ETF net flow', total('net_flow_btc', 'flow'), {
    description: 'Bitcoin that entered the funds minus bitcoin that left them during the day.',
  }),
  usd('etf_net_flow_usd', 'ETF net flow in USD', total('net_flow_usd', 'flow'), {
    description: 'Money that entered the funds minus money that left them during the day.',
  }),
  btc('etf_cumulative_flow_btc', 'ETF cumulative flow', total('cumulative_flow_btc', 'level'), {
    description: 'All net flows since the first day known.',
    style: 'area',
  }),
  usd('etf_cumulative_money_flow', 'ETF cumulative flow in USD', total('cumulative_money_flow', 'level'), {
    description: 'All net flows of money since the first day known.',
    style: 'area',
  }),
  percent('etf_dominance_percent', 'ETF dominance', '100 * etf_total_btc_holdings / circulating_supply', {
    field: 'dominance',
    aliases: ['etf_dominance'],
    description: 'Bitcoin held by the funds as a share of the circulating supply.',
  }),
  logUsd('etf_realized_price', 'ETF realized price', total('realized_price', 'level'), {
    dimension: priceDimension,
    description:
      'Average cost of the coins in the funds: inflows come in at the close of their day, outflows leave at the average.',
  }),
  ratio('etf_mvrv', 'ETF MVRV', 'price / etf_realized_price', {
    description: 'Price over the average cost of the coins in the funds.',
  }),
  btc('etf_us_btc_holdings', 'US ETF holdings', total('us_btc_holdings', 'level'), {
    description: 'Bitcoin held by the funds listed in the United States.',
    style: 'area',
  }),
  logUsd('etf_us_realized_price', 'US ETF realized price', total('us_realized_price', 'level'), {
    dimension: priceDimension,
    description: 'Average cost of the coins in the funds listed in the United States.',
  }),
  ratio('etf_premium_average', 'ETF premium', total('premium_average', 'level'), {
    description: 'Market price divided by net asset value, minus 1, of the funds that report both, weighted by assets.',
  }),
  count('etf_count', 'Number of ETFs', total('etf_count', 'level'), {
    description: 'Number of funds whose holdings are known that day.',
  }),
  ...[7, 30].map((days) =>
    btc(`etf_net_flow_btc_${days}d_sum`, `ETF net flow within ${days} days`, `sum(etf_net_flow_btc, ${days})`, {
      description: `Net flow of bitcoin into the funds in the last ${days} days.`,
      style: 'bar',
    }),
  ),
  ...funds.flatMap(({ ticker, name, issuer }): MetricRow[] => {
    const one = (
      field: OriginColumn<'etf'>,
      what: string,
      unit: Unit,
      kind: MetricKind,
      row: Pick<MeasuredRow, 'description' | 'style'>,
    ): MetricRow => ({
      id: `etf_${field}_${memberIdSuffix(ticker)}`,
      ...sameField({ table: 'etf', column: field, key: ticker }, kind, { endpoint: `etf/ticker?ticker=${ticker}` }),
      name: `${ticker} ${what}`,
      unit,
      aliases: [`${issuer} ETF ${what}`],
      ...row,
    })
    return [
      one('btc_holdings', 'holdings', 'BTC', 'level', {
        description: `Bitcoin held by ${name}, as reported; of a fund that only reports assets, these at the close.`,
        style: 'area',
      }),
      one('net_flow_btc', 'net flow', 'BTC', 'flow', {
        description: `Bitcoin that entered ${name} minus bitcoin that left it during the day.`,
      }),
      one('aum_usd', 'assets', 'USD', 'level', {
        description: `Assets under management of ${name}: as reported, else its bitcoin at the close.`,
        style: 'area',
      }),
      one('realized_cap', 'realized cap', 'USD', 'level', {
        description: `What the coins in ${name} cost: inflows add at the close of their day, outflows scale it down.`,
      }),
      one('premium', 'premium', 'ratio', 'level', {
        description: `Market price of a share of ${name} divided by its net asset value, minus 1.`,
      }),
    ]
  }),
]
