import { endpoint } from '../endpoint.ts'
import { dailyQuery, liveQuery, symbol } from '../parameters.ts'
import { otherMetrics, rows } from '../rows.ts'

export const marketEndpoints = {
  today: endpoint({
    id: 'today',
    tag: 'Market',
    summary: 'The day that is not closed yet: its sums so far and the valuation at the last hourly price',
    description:
      'One row, provisional: it changes with every block, price and reorganisation. as_of_height, as_of_hash and as_of_time name the newest block that is counted, price_time the instant of the price. Fields have the names of the metrics that they become once the day is closed. There is no row if the node is not followed (FOLLOW=on), or until the first block after the last published day.',
    query: liveQuery,
    row: rows.today,
  }),
  prices: endpoint({
    id: 'prices',
    tag: 'Market',
    summary: 'Price, market cap, volume, drawdown, realized volatility and other metrics of the price',
    query: dailyQuery({ symbol }),
    row: rows.prices,
    more: otherMetrics,
  }),
} as const
