import { largeChart, misspeltWords, slowFormula } from './worst-requests.ts'

type Given = Readonly<Record<string, unknown>>

const all = { days: 10_000, rows: 'all' }

/** The arguments of each tool with the most work, by attempt, because histories are cached. */
export function worstCalls(ids: readonly string[]): Readonly<Record<string, readonly ((attempt: number) => Given)[]>> {
  const some = (count: number, attempt: number) => ids.slice(count * attempt, count * attempt + count)
  const fields = (attempt: number) => some(25, attempt)
  return {
    list_metrics: [() => ({ limit: 1_000 })],
    search_metrics: [
      (attempt) => ({
        query: `${'price of coins that holders realized supply in loss '.repeat(3)}${attempt}`,
        limit: 40,
      }),
      (attempt) => ({ query: misspeltWords(attempt), limit: 40 }),
    ],
    get_metric: [(attempt) => ({ metric_id: ids[attempt] })],
    get_categories: [() => ({})],
    get_series: [
      (attempt) => ({ metrics: fields(attempt), ...all }),
      (attempt) => ({ formula: slowFormula(attempt, 998), ...all }),
      (attempt) => ({ metrics: fields(attempt % 2), interval: 'week', ...all, start_date: '2009-01-03' }),
    ],
    find_days: [
      (attempt) => ({ condition: `${slowFormula(attempt, 900)} > 1`, limit: 200, days: 10_000 }),
      (attempt) => ({ condition: `price > shift(price, ${attempt + 1})`, limit: 200, days: 10_000 }),
    ],
    top_days: [(attempt) => ({ formula: slowFormula(attempt, 998), limit: 100 })],
    get_ranking: ['exchanges', 'funds', 'treasuries', 'cohorts', 'pools'].map((of) => (attempt: number) => ({
      of,
      limit: 100 - attempt,
      days: 366 - attempt,
    })),
    compare_metrics: [(attempt) => ({ metrics: some(6, attempt), ...all })],
    compare_cycles: [(attempt) => ({ metric: ids[attempt], family: 'ath' })],
    get_prices: [() => ({ fields: ['close', 'open', 'high', 'low', 'volume', 'market_cap', 'drawdown'], ...all })],
    get_holder_supply: [() => ({ ...all })],
    get_holder_valuation: [() => ({ ...all })],
    get_holder_profit: [() => ({ ...all })],
    get_coindays: [() => ({ ...all })],
    get_blockchain: [() => ({ ...all })],
    get_cohort_metrics: [(attempt) => ({ cohort: ['1y_2y', '2y_3y', '3y_5y', '5y_7y'][attempt], ...all })],
    get_utxo_history: [() => ({ ...all })],
    get_cost_basis: [() => ({ bands: 100 })],
    get_cycle_performance: [() => ({ ...all }), () => ({ type: 'ath', ...all })],
    get_cycle_boundaries: [() => ({ family: 'ath' })],
    get_etf: [() => ({ ...all }), () => ({ ticker: 'IBIT', ...all })],
    get_funding: [() => ({ ...all }), () => ({ exchange: 'binance', ...all })],
    get_open_interest: [() => ({ ...all }), () => ({ exchange: 'binance', ...all })],
    get_treasuries: [() => ({ ...all }), () => ({ entity_id: 1, ...all })],
    get_treasury_reports: [() => ({ entity_id: 1, limit: 1_000 })],
    what_changed: [(attempt) => ({ period: ['day', 'week', 'month'][attempt % 3], limit: 50 })],
    get_latest_metrics: [() => ({ limit: 1_000 })],
    render_chart: [
      (attempt) => ({ ...largeChart(ids, attempt), format: 'svg' }),
      (attempt) => ({ ...largeChart(ids, attempt), format: 'json' }),
    ],
    manage_alerts: [
      () => ({ action: 'list' }),
      (attempt) => ({
        action: 'try',
        formula: slowFormula(attempt, 998),
        condition: { kind: 'percentile', percentile: 50 },
      }),
    ],
    get_status: [() => ({})],
    search: [(attempt) => ({ query: `${'price of coins that holders realized supply in loss '.repeat(9)}${attempt}` })],
    fetch: [(attempt) => ({ id: ids[attempt] })],
  }
}
