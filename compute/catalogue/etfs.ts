import { memberIdSuffix } from '#contract/metric-ids.ts'
import type { MetricKind } from '#contract/metric-kinds.ts'
import { funds } from '#ingest/market/reference.ts'
import { priceDimension } from '#sql/formula/dimension.ts'
import { btc, type MeasuredRow, type MetricRow, percent, ratio } from './definition.ts'
import type { OriginColumn } from './origin.ts'

/** A row of the aggregate table. The id has the prefix `etf_`, which the field lacks. */
function total(
  field: OriginColumn<'etf_aggregate'>,
  kind: MetricKind,
  row: Omit<MeasuredRow, 'id' | 'field' | 'from' | 'kind'>,
): MetricRow {
  const id = field.startsWith('etf_') ? field : `etf_${field}`
  return { id, field, from: { table: 'etf_aggregate', column: field }, kind, ...row }
}

export const etfs: readonly MetricRow[] = [
  total('total_btc_holdings', 'level', {
    name: 'ETF holdings',
    unit: 'BTC',
    description: 'Bitcoin held by all tracked exchange-traded funds. Funds that hold other funds are not counted.',
    style: 'area',
  }),
  total('total_aum_usd', 'level', {
    name: 'ETF assets',
    unit: 'USD',
    description: 'Assets under management of all tracked bitcoin funds.',
    style: 'area',
  }),
  total('net_flow_btc', 'flow', {
    name: 'ETF net flow',
    unit: 'BTC',
    description: 'Bitcoin that entered the funds minus bitcoin that left them during the day.',
  }),
  total('net_flow_usd', 'flow', {
    name: 'ETF net flow in USD',
    unit: 'USD',
    description: 'Money that entered the funds minus money that left them during the day.',
  }),
  total('cumulative_flow_btc', 'level', {
    name: 'ETF cumulative flow',
    unit: 'BTC',
    description: 'All net flows since the first day known.',
    style: 'area',
  }),
  total('cumulative_money_flow', 'level', {
    name: 'ETF cumulative flow in USD',
    unit: 'USD',
    description: 'All net flows of money since the first day known.',
    style: 'area',
  }),
  percent('etf_dominance_percent', 'ETF dominance', '100 * etf_total_btc_holdings / circulating_supply', {
    field: 'dominance',
    aliases: ['etf_dominance'],
    description: 'Bitcoin held by the funds as a share of the circulating supply.',
  }),
  total('realized_price', 'level', {
    name: 'ETF realized price',
    unit: 'USD',
    dimension: priceDimension,
    description:
      'Average cost of the coins in the funds: inflows come in at the close of their day, outflows leave at the average.',
    scale: 'log',
  }),
  ratio('etf_mvrv', 'ETF MVRV', 'price / etf_realized_price', {
    description: 'Price over the average cost of the coins in the funds.',
  }),
  total('us_btc_holdings', 'level', {
    name: 'US ETF holdings',
    unit: 'BTC',
    description: 'Bitcoin held by the funds listed in the United States.',
    style: 'area',
  }),
  total('us_realized_price', 'level', {
    name: 'US ETF realized price',
    unit: 'USD',
    dimension: priceDimension,
    description: 'Average cost of the coins in the funds listed in the United States.',
    scale: 'log',
  }),
  total('premium_average', 'level', {
    name: 'ETF premium',
    unit: 'ratio',
    description: 'Market price divided by net asset value of the funds, minus 1, weighted by assets.',
  }),
  total('etf_count', 'level', {
    name: 'Number of ETFs',
    unit: 'count',
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
      kind: MetricKind,
      row: Pick<MeasuredRow, 'name' | 'unit' | 'description' | 'style'>,
    ): MetricRow => ({
      id: `etf_${field}_${memberIdSuffix(ticker)}`,
      field,
      from: { table: 'etf', column: field, key: ticker },
      endpoint: 'etf/ticker',
      aliases: [`${issuer} ETF ${row.name.slice(ticker.length + 1)}`],
      kind,
      ...row,
    })
    return [
      one('btc_holdings', 'level', {
        name: `${ticker} holdings`,
        unit: 'BTC',
        description: `Bitcoin held by ${name}.`,
        style: 'area',
      }),
      one('net_flow_btc', 'flow', {
        name: `${ticker} net flow`,
        unit: 'BTC',
        description: `Bitcoin that entered ${name} minus bitcoin that left it during the day.`,
      }),
      one('aum_usd', 'level', {
        name: `${ticker} assets`,
        unit: 'USD',
        description: `Assets under management of ${name}.`,
        style: 'area',
      }),
      one('realized_cap', 'level', {
        name: `${ticker} realized cap`,
        unit: 'USD',
        description: `What the coins in ${name} cost: inflows add at the close of their day, outflows scale it down.`,
      }),
      one('premium', 'level', {
        name: `${ticker} premium`,
        unit: 'ratio',
        description: `Market price of a share of ${name} divided by its net asset value, minus 1.`,
      }),
    ]
  }),
]
