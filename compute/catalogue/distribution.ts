import { priceDimension } from '#contract/metric-kinds.ts'
import {
  densityName,
  densityPercents,
  lossName,
  lossPercents,
  profitName,
  profitPercents,
  quantileName,
  quantilePercents,
} from '../cohorts/cost-distribution.ts'
import { btc, inUnit, logUsd, type Measured, type MetricRow, ratio, usd } from './definition.ts'
import type { OriginColumn } from './origin.ts'

const ofCosts = (column: OriginColumn<'cost_distribution'>): Measured => ({
  from: { table: 'cost_distribution', column },
  kind: 'level',
})

const source = 'Rafael Schultze-Kraft (Glassnode), 2019'

export const distribution: readonly MetricRow[] = [
  ...densityPercents.map((percent) =>
    ratio(
      `realized_supply_density_${percent}`,
      `Realized supply density, ±${percent} %`,
      ofCosts(densityName(percent)),
      {
        description: `Fraction of the supply that cost within ${percent} % of the price. Where it is high, small moves of the price turn many profits into losses.`,
        source: 'Glassnode, 2023',
      },
    ),
  ),
  ...profitPercents.toReversed().map((percent) =>
    btc(
      `supply_in_profit_over_${percent}`,
      `Supply in profit by more than ${percent} %`,
      ofCosts(profitName(percent)),
      {
        description: `Coins for which the price is more than ${percent} % above what they had cost.`,
        variant: 'Coins from before the first market cost 0, so that they are in profit by more than any percentage.',
        related: ['supply_in_profit'],
      },
    ),
  ),
  ...lossPercents.map((percent) =>
    btc(`supply_in_loss_over_${percent}`, `Supply in loss by more than ${percent} %`, ofCosts(lossName(percent)), {
      description: `Coins for which the price is more than ${percent} % below what they had cost.`,
      related: ['supply_in_loss'],
    }),
  ),
  logUsd('capitalized_price', 'Capitalized price', ofCosts('capitalized_price'), {
    dimension: priceDimension,
    description:
      'Mean cost of a coin, each weighted by what was paid for it: what the average dollar in the market paid, where the realized price is what the average coin cost.',
    source: 'Bitcoin Research Kit',
    related: ['realized_price', 'cost_basis_p50'],
  }),
  usd('capitalized_cap', 'Capitalized cap', 'capitalized_price * circulating_supply', {
    description: 'Capitalized price times circulating supply.',
    source: 'Bitcoin Research Kit',
    related: ['realized_cap'],
  }),
  usd('peak_regret', 'Peak regret', ofCosts('peak_regret'), {
    description:
      'What the coins would be worth at the highest close since each last moved, minus what they are worth: what holders gave up by not selling at the top.',
    related: ['unrealized_profit', 'drawdown'],
  }),
  ratio('peak_regret_to_market_cap', 'Peak regret to market cap', 'peak_regret / market_cap', {
    description: 'Peak regret as a fraction of the market cap.',
  }),
  ...quantilePercents.map((percent): MetricRow => {
    const column = quantileName(percent)
    return logUsd(`cost_basis_${column}`, `Cost basis, ${percent} % quantile`, ofCosts(column), {
      dimension: priceDimension,
      description: `The price that ${percent} % of the supply did not exceed when it last moved.${percent === 50 ? ' It is the median cost of a coin.' : ''}`,
      variant: 'Coins from before the first market cost 0.',
      related: percent === 50 ? ['realized_price'] : ['cost_basis_p50'],
    })
  }),
]

/** Distributions: columns by day and price, not series. */
const costBasisDistribution = inUnit('sats')(
  'cost_basis_distribution',
  'Cost basis distribution',
  { from: { table: 'cost_basis', column: 'supply_sats' }, kind: 'level' },
  {
    description:
      'Supply by what it cost: for every day, the satoshis that last moved in each of 200 price bins per factor of ten. Bin 0 holds coins from before the first market.',
    variant:
      'Known as UTXO realized price distribution (URPD), here by the mean cost of the coins of each day, in logarithmic bins.',
    source,
    endpoint: 'cost-basis',
    field: 'supply_sats',
    related: ['cost_basis_p50', 'realized_supply_density_5'],
  },
)

const spentOutputPriceDistribution = inUnit('sats')(
  'spent_output_price_distribution',
  'Spent output price distribution',
  { from: { table: 'cost_basis', column: 'spent_sats' }, kind: 'flow' },
  {
    description:
      'Spent coins by what they had cost: for every day, the satoshis spent on it that had last moved in each of 200 price bins per factor of ten. Bin 0 holds coins from before the first market.',
    variant:
      "By the mean cost of the coins of each day, in logarithmic bins; Glassnode's bins are relative to the price or to its high.",
    source,
    endpoint: 'cost-basis',
    field: 'spent_sats',
    related: ['cost_basis_distribution', 'spent_volume'],
  },
)

export const distributions: readonly MetricRow[] = [costBasisDistribution, spentOutputPriceDistribution]
