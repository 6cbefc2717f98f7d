import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { cohort, creationDayLimit, daily, day, orderedQuery } from '../parameters.ts'
import { otherMetrics, rows } from '../rows.ts'
import { dailyMetrics } from './daily-metrics.ts'

export const holdersEndpoints = {
  holderSupply: dailyMetrics(
    'holder/supply',
    'Holders',
    'Circulating supply, that of long-term and short-term holders, and of each age band',
    rows.holderSupply,
  ),
  holderValuation: dailyMetrics(
    'holder/valuation',
    'Holders',
    'Realized cap and price, MVRV, thermo cap, delta cap, balanced price and more',
    rows.holderValuation,
  ),
  holderProfit: dailyMetrics(
    'holder/profit',
    'Holders',
    'Realized and unrealized profit and loss, SOPR, NUPL, supply in profit',
    rows.holderProfit,
  ),
  cohortMetrics: endpoint({
    id: 'cohort/metrics/{cohort}',
    tag: 'Holders',
    summary: 'Every measure of one cohort of coins',
    pathParameters: z.object({ cohort }),
    query: daily,
    row: rows.cohortMetrics,
    more: otherMetrics,
  }),
  utxoHistory: endpoint({
    id: 'utxo/history',
    tag: 'Holders',
    summary: 'Unspent value by the day on which it was created, after one day',
    description:
      'Without date_processed it is the newest published day within start_date and end_date; these two bound date_processed, while cohort_start and cohort_end bound cohort_date. Days of which nothing is left have no row.',
    history: { computedFromAll: 'what is unspent was created on any day before' },
    limitShare: 0.5,
    query: orderedQuery(
      {
        date_processed: day.optional().meta({ description: 'Day after which the unspent value is counted' }),
        cohort_start: day.optional().meta({ description: 'First cohort_date' }),
        cohort_end: day.optional().meta({ description: 'Last cohort_date' }),
      },
      creationDayLimit,
    ),
    row: rows.utxoHistory,
    orderedBy: 'cohort_date',
    key: ['date_processed', 'cohort_date'],
  }),
  coindays: dailyMetrics(
    'coindays',
    'Coin days',
    'Coin days destroyed, liveliness, vaultedness, dormancy',
    rows.coindays,
  ),
} as const
