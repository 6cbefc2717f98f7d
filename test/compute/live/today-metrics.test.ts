import { describe, expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { computeDayMetrics } from '#compute/live/today-metrics.ts'
import { indexByIds } from '#contract/metric-ids.ts'
import type { Column } from '#contract/tables/column.ts'
import { tables } from '#contract/tables/tables.ts'
import { todayMetrics } from '#contract/tables/today.ts'
import { networks } from '#ingest/chain/networks.ts'
import type { FormulaNode } from '#sql/formula/parse.ts'

const network = networks.mainnet
const cohorts = listCohorts(
  { days: Int32Array.of(parseDay('2009-01-03')) },
  network.halvingInterval,
  parseDay('2026-11-22'),
)
const { definitions, formulas } = createCatalogue(network, cohorts)

/** True if a formula reads no other day. */
const isPointwise = (node: FormulaNode): boolean => {
  if (node.kind === 'metric') return !formulas.has(node.id) || isPointwise(formulas.get(node.id)!.root)
  return node.kind === 'number' || (node.kind === 'pointwise' && node.operands.every(isPointwise))
}

test.each(Object.entries<Column>(todayMetrics))(
  '%s is a metric of that unit, and of one day alone',
  (name, { unit }) => {
    const metric = indexByIds(definitions).get(name)
    expect(metric?.unit, 'call it as its metric').toBe(unit)
    const formula = formulas.get(metric?.id ?? name)
    expect(formula === undefined || isPointwise(formula.root), 'one row tells nothing of the days before').toBe(true)
  },
)

describe('metrics of a day', () => {
  const sums = new Map([
    ...Object.keys(tables.days.columns).map((name) => [name, 0] as const),
    ...['blocks_mined', 'transactions', 'inputs', 'outputs', 'size', 'weight', 'issuance_sats', 'fees_sats'].map(
      (name, i) => [name, i + 1] as const,
    ),
    ...[['median_fee', Number.NaN] as const, ['difficulty', 9] as const],
    ...[['supply_sats', 2e8] as const, ['utxo_count', 5] as const],
  ])
  const measuresOfCohorts = (measures: Readonly<Record<string, number>>): Map<string, number> =>
    new Map(
      definitions.flatMap(({ from }) =>
        from?.table === 'cohorts' ? [[`${from.column} ${from.key}`, measures[from.column] ?? 0] as const] : [],
      ),
    )
  /**
   * Two coins that cost 100 USD together; one was spent, at an age of three days, for which 30 USD
   * had been paid.
   */
  const measures = measuresOfCohorts({
    supply_sats: 2e8,
    utxo_count: 5,
    realized_cap: 100,
    supply_in_profit: 1.5,
    supply_in_loss: 0.5,
    ...{
      unrealized_profit: 40,
      unrealized_loss: 20,
      spent_volume: 1,
      spent_volume_usd: 60,
      spent_cost: 30,
      coindays_destroyed: 3,
    },
  })

  test('follow from its sums and the price', () => {
    expect(computeDayMetrics(network, { cohorts, measures, sums }, 60).today).toMatchObject({
      price: 60,
      circulating_supply: 2,
      market_cap: 120,
      realized_price: 50,
      mvrv: 1.2,
      nupl: 20 / 120,
      supply_in_profit_percent: 75,
      sopr: 2,
      dormancy: 3,
      transfer_volume_usd: 60,
      tx_count: 1,
      fee_median: null,
    })
  })

  test('are null in USD without a price', () => {
    const { price, market_cap, mvrv, transfer_volume, supply_sats } = computeDayMetrics(
      network,
      { cohorts, measures, sums },
      Number.NaN,
    ).today
    expect({ price, market_cap, mvrv }).toEqual({ price: null, market_cap: null, mvrv: null })
    expect({ transfer_volume, supply_sats }).toEqual({ transfer_volume: 1, supply_sats: 2e8 })
  })

  test('are refused where the flows leave another supply than the blocks', () => {
    const other = new Map([...sums, ['supply_sats', 2e8 + 1]])
    expect(() => computeDayMetrics(network, { cohorts, measures, sums: other }, 60)).toThrow(
      'supply_sats of the open day is 200000000 by flows, 200000001 by blocks',
    )
  })
})
