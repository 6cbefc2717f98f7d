import { priceDimension } from '#sql/formula/dimension.ts'
import { densityName, densityPercents, quantileName, quantilePercents } from '../cohorts/cost-distribution.ts'
import type { MetricRow } from './definition.ts'

const source = 'Rafael Schultze-Kraft (Glassnode), 2019'

export const distribution: readonly MetricRow[] = [
  ...densityPercents.map(
    (percent): MetricRow => ({
      id: `realized_supply_density_${percent}`,
      name: `Realized supply density, ±${percent} %`,
      unit: 'ratio',
      from: { table: 'cost_distribution', column: densityName(percent) },
      kind: 'level',
      description: `Fraction of the supply that cost within ${percent} % of the price. Where it is high, small moves of the price turn many profits into losses.`,
      source: 'Glassnode, 2023',
    }),
  ),
  ...quantilePercents.map((percent): MetricRow => {
    const column = quantileName(percent)
    return {
      id: `cost_basis_${column}`,
      name: `Cost basis, ${percent} % quantile`,
      unit: 'USD',
      dimension: priceDimension,
      from: { table: 'cost_distribution', column },
      kind: 'level',
      description: `The price that ${percent} % of the supply did not exceed when it last moved.${percent === 50 ? ' It is the median cost of a coin.' : ''}`,
      variant: 'Coins from before the first market cost 0.',
      scale: 'log',
      related: percent === 50 ? ['realized_price'] : ['cost_basis_p50'],
    }
  }),
]

/** The distribution itself: a table by day and price, not a series. */
export const costBasisDistribution: MetricRow = {
  id: 'cost_basis_distribution',
  name: 'Cost basis distribution',
  unit: 'sats',
  from: { table: 'cost_basis', column: 'supply_sats' },
  kind: 'level',
  description:
    'Supply by what it cost: for every day, the satoshis that last moved in each of 200 price bins per factor of ten. Bin 0 holds coins from before the first market.',
  variant: 'Known as UTXO realized price distribution (URPD), here by closes of the day and logarithmic bins.',
  source,
  endpoint: 'cost-basis',
  field: 'supply_sats',
  related: ['cost_basis_p50', 'realized_supply_density_5'],
}
