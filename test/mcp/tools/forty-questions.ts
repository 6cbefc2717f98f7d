import { z } from 'zod'

/** A value of an answer. Numbers are compared in six digits, all else as text. */
export type Told = number | string | null

type Call = readonly [tool: string, given: Record<string, unknown>]

export interface Question {
  readonly question: string
  readonly calls: readonly Call[]
  /** Reads the values from the answers, in the order of the columns of `sql`. */
  readonly read: (...answers: unknown[]) => Told[]
  /**
   * Reads the same values in one row from the published tables. `{name}` is a table, `{today}` the
   * last day.
   */
  readonly sql: string
}

/** A question about something that is not tracked. */
export interface Unanswerable {
  readonly question: string
  readonly calls: readonly Call[]
  /** Part of the reason in the answer. */
  readonly about: string
}

/** Brief statistics have no extremes. */
const extreme = z.object({ value: z.number(), date: z.string() }).default({ value: Number.NaN, date: '' })
const seriesAnswer = z.object({
  statistics: z.array(
    z.object({
      field: z.string(),
      first: z.number().optional(),
      last: z.number(),
      min: extreme,
      max: extreme,
      mean: z.number().default(Number.NaN),
      sum: z.number().optional(),
      change: z.number().optional(),
      change_percent: z.number().optional(),
      percentile: z.object({ value: z.number(), since: z.string() }),
    }),
  ),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))).optional(),
})

/** Statistics of a field; of the only one by default. */
function of(answer: unknown, field?: string) {
  const { statistics } = seriesAnswer.parse(answer)
  const found = field === undefined ? statistics[0] : statistics.find((one) => one.field === field)
  if (!found) throw new Error(`nothing is said of ${field}`)
  return found
}

const ranking = z.object({
  items: z.array(z.object({ id: z.union([z.string(), z.number()]), value: z.number(), about: z.string().optional() })),
})
const first = (answer: unknown) => ranking.parse(answer).items[0]!
const ids = (answer: unknown) =>
  ranking
    .parse(answer)
    .items.map(({ id }) => id)
    .join()

const spell = z.object({ from: z.string(), to: z.string(), days: z.number() })
const found = z.object({
  days: z.object({ true: z.number(), known: z.number(), intervals: z.number() }),
  last: spell,
  longest: spell,
  afterwards: z.object({ rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))) }),
})
const top = z.object({ top: z.object({ days: z.array(z.tuple([z.string(), z.number()])) }) })
const cycles = z.object({
  cycles: z.array(
    z.object({
      cycle: z.number(),
      value: z.number().nullable(),
      times_start: z.number().nullable(),
      whole: z.object({ highest: z.tuple([z.number(), z.string(), z.int()]) }).nullable(),
    }),
  ),
})

const oldBands = ['6m_12m', '1y_2y', '2y_3y', '3y_5y', '5y_7y', '7y_10y', '10y_plus']
const inDays = (days: number): string => `date > {today} - ${days}`
/**
 * Daily holdings that count once, because Hut 8 includes those of American Bitcoin in its reports.
 */
const companies = `{treasuries} JOIN {treasury_registry} USING (id) WHERE type IN ('public', 'private') AND consolidated_in IS NULL`
const percentileOf = (metric: string, table: string): string =>
  `(SELECT round(50 * (avg((${metric} < newest)::INT) + avg((${metric} <= newest)::INT)), 1) FROM ${table}, (SELECT arg_max(${metric}, date) AS newest FROM ${table}) WHERE ${metric} IS NOT NULL)`

export const questions: readonly Question[] = [
  {
    question: 'Is Bitcoin overvalued against its own history?',
    calls: [['get_holder_valuation', { fields: ['MVRV'], rows: 'none' }]],
    read: (answer) => [of(answer).last, of(answer).percentile.value],
    sql: `SELECT (SELECT arg_max(mvrv, date) FROM {metrics_valuation}), ${percentileOf('mvrv', '{metrics_valuation}')}`,
  },
  {
    question: 'What has the price done in a month, and how far is it from its high?',
    calls: [['get_prices', { fields: ['close', 'drawdown'], days: 31 }]],
    read: (answer) => [of(answer, 'close').change_percent!, of(answer, 'drawdown').last],
    sql: `SELECT 100 * (price / lag(price, 30) OVER (ORDER BY date) - 1), price / max(price) OVER (ORDER BY date) - 1
          FROM {metrics_market} QUALIFY date = {today}`,
  },
  {
    question: 'Do long-term holders accumulate?',
    calls: [['get_holder_supply', { fields: ['lth_supply', 'circulating_supply'], days: 31, rows: 'none' }]],
    read: (answer) => [
      of(answer, 'lth_supply').last,
      of(answer, 'lth_supply').change!,
      of(answer, 'circulating_supply').last,
    ],
    sql: `SELECT lth / 1e8, (lth - before) / 1e8, whole / 1e8 FROM (SELECT
            sum(supply_sats) FILTER (cohort = 'lth' AND date = {today}) AS lth,
            sum(supply_sats) FILTER (cohort = 'lth' AND date = {today} - 30) AS before,
            sum(supply_sats) FILTER (cohort = 'all' AND date = {today}) AS whole FROM {cohorts})`,
  },
  {
    question: 'What did the coins of the last months cost, and are they under water?',
    calls: [['get_series', { metrics: ['sth_realized_price'], formula: 'price < sth_realized_price', rows: 1 }]],
    read: (answer) => [of(answer).last, of(answer, 'formula').last],
    sql: `SELECT realized_cap / (supply_sats / 1e8), (close < realized_cap / (supply_sats / 1e8))::INT
          FROM {cohorts} JOIN {prices} USING (date) WHERE cohort = 'sth' AND date = {today}`,
  },
  {
    question: 'How much of the supply is in profit?',
    calls: [['get_holder_profit', { fields: ['percent_supply_in_profit'], rows: 'none' }]],
    read: (answer) => [of(answer).last],
    sql: `SELECT 100 * supply_in_profit / supply FROM {cohorts} WHERE cohort = 'all' AND date = {today}`,
  },
  {
    question: 'How many coins have not moved for half a year?',
    calls: [['get_utxo_history', { days: 10_000 }]],
    read: (answer) => {
      const { age_bands } = z
        .object({ age_bands: z.array(z.object({ cohort: z.string(), btc: z.number() })) })
        .parse(answer)
      const old = age_bands.filter(({ cohort }) => oldBands.includes(cohort))
      return [old.reduce((sum, { btc }) => sum + btc, 0)]
    },
    sql: `SELECT sum(supply_sats) / 1e8 FROM {cohorts} WHERE cohort IN ('${oldBands.join("', '")}') AND date = {today}`,
  },
  {
    question: 'At which price did the middle coin last move?',
    calls: [['get_cost_basis', { bands: 0 }]],
    read: (answer) => {
      const { cost_percentiles } = z
        .object({ cost_percentiles: z.array(z.object({ percent: z.number(), cost_usd: z.number() })) })
        .parse(answer)
      return [cost_percentiles.find(({ percent }) => percent === 50)!.cost_usd]
    },
    sql: `WITH bins AS (SELECT upper_price, sum(supply_sats) OVER (ORDER BY bin) AS below, sum(supply_sats) OVER () AS total
            FROM {cost_basis} WHERE date = {today})
          SELECT min(upper_price) FILTER (below >= total / 2) FROM bins`,
  },
  {
    question: 'Which cycle is this, how old is it, and what did a coin cost when it began?',
    calls: [['get_cycle_boundaries', {}]],
    read: (answer) => {
      const [running] = z
        .object({
          cycles: z.array(
            z.object({ cycle: z.number(), duration_days: z.number(), start_price: z.number().nullable() }),
          ),
        })
        .parse(answer).cycles
      return [running!.cycle, running!.duration_days, running!.start_price]
    },
    sql: `SELECT max(cycle), ({today} - max(start_date)) + 1, max_by(start_price, cycle) FROM {cycles} WHERE family = 'halving'`,
  },
  {
    question: 'How much leverage is in the market?',
    calls: [
      ['get_open_interest', { rows: 'none' }],
      ['get_funding', { rows: 'none' }],
    ],
    read: (interest, funding) => [of(interest, 'total_oi_usd').last, of(funding, 'avg_funding_rate').last],
    sql: `SELECT (SELECT sum(oi_usd) FROM {open_interest} WHERE date = {today}),
            (SELECT sum(funding_rate * oi_weight) FROM {funding} WHERE date = {today})`,
  },
  {
    question: 'What came into the funds in each of the last two weeks?',
    calls: [['get_series', { metrics: ['etf_net_flow_btc'], interval: '1w', days: 14, rows: 2 }]],
    read: (answer) => seriesAnswer.parse(answer).rows!.map(([, flow]) => flow!),
    sql: `WITH weeks AS (SELECT date_trunc('week', date) AS week, sum(etf_net_flow_btc) AS flow FROM {metrics_etfs} GROUP BY week)
          SELECT max_by(flow, week), max_by(flow, week) FILTER (week < (SELECT max(week) FROM weeks)) FROM weeks`,
  },
  {
    question: 'How much bitcoin do funds, and how much do companies hold?',
    calls: [
      ['get_series', { metrics: ['etf_total_btc_holdings', 'dat_total_btc'], rows: 'none' }],
      ['get_treasuries', { rows: 'none' }],
    ],
    read: (answer, treasuries) => [
      of(answer, 'etf_total_btc_holdings').last,
      of(answer, 'dat_total_btc').last,
      z.object({ all_kinds: z.object({ total_btc: z.number() }) }).parse(treasuries).all_kinds.total_btc,
    ],
    sql: `SELECT (SELECT sum(btc_holdings) FROM {etf} JOIN {etf_registry} USING (ticker) WHERE feeder_of IS NULL
              AND date = (SELECT max(date) FROM {etf} WHERE date <= {today} AND btc_holdings IS NOT NULL)),
            (SELECT sum(btc_amount) FROM ${companies} AND date = {today}),
            (SELECT sum(btc_amount) FROM {treasuries} JOIN {treasury_registry} USING (id)
              WHERE consolidated_in IS NULL AND date = {today})`,
  },
  {
    question: 'When was the price last below what coins cost on average, and how often was it so?',
    calls: [['find_days', { condition: 'mvrv < 1' }]],
    read: (answer) => [found.parse(answer).last.to, found.parse(answer).days.true, found.parse(answer).days.known],
    sql: `SELECT max(date) FILTER (mvrv < 1), count(*) FILTER (mvrv < 1), count(mvrv) FROM {metrics_valuation}`,
  },
  {
    question: 'How often were coins dear and old ones sold, and which was the longest stretch?',
    calls: [['find_days', { condition: 'mvrv > 2 and liveliness > sma(liveliness, 30)' }]],
    read: (answer) => [
      found.parse(answer).days.true,
      found.parse(answer).days.intervals,
      found.parse(answer).longest.days,
    ],
    sql: `WITH days AS (SELECT date, mvrv, liveliness > avg(liveliness) OVER (ORDER BY date ROWS 29 PRECEDING) AS sold,
              count(liveliness) OVER (ORDER BY date ROWS 29 PRECEDING) = 30 AS full
            FROM {metrics_valuation} JOIN {metrics_coin_days} USING (date)),
          held AS (SELECT date, date - (row_number() OVER (ORDER BY date))::INT AS stretch FROM days WHERE mvrv > 2 AND sold AND "full"),
          stretches AS (SELECT count(*) AS length FROM held GROUP BY stretch)
          SELECT sum(length), count(*), max(length) FROM stretches`,
  },
  {
    question: 'What did the price do in the year after it was twice what coins cost?',
    calls: [['find_days', { condition: 'mvrv >= 2', limit: 1 }]],
    read: (answer) => {
      const year = found.parse(answer).afterwards.rows.filter(([days]) => days === 365)
      return year.flatMap(([, , cases, , median]) => [cases!, median!])
    },
    sql: `WITH days AS (SELECT date, price, mvrv >= 2 AS dear FROM {metrics_valuation} JOIN {metrics_market} USING (date)
            WHERE mvrv IS NOT NULL),
          begun AS (SELECT date, price FROM days QUALIFY dear AND NOT coalesce(lag(dear) OVER (ORDER BY date), false))
          SELECT (count(*) FILTER (begun.date IS NOT NULL)), round(median(100 * (later.price / begun.price - 1)), 2),
            count(*), round(median(100 * (later.price / days.price - 1)), 2)
          FROM days LEFT JOIN begun USING (date) JOIN {metrics_market} AS later ON later.date = days.date + 365`,
  },
  {
    question: 'What was the highest close ever, and when?',
    calls: [['top_days', { metric: 'price', limit: 1 }]],
    read: (answer) => top.parse(answer).top.days[0]!,
    sql: `SELECT arg_max(date, price), max(price) FROM {metrics_market}`,
  },
  {
    question: 'Which were the worst two days since 2015?',
    calls: [['top_days', { formula: 'percent_change(price, 1)', order: 'lowest', limit: 2, start_date: '2015-01-01' }]],
    read: (answer) => top.parse(answer).top.days.flat(),
    sql: `WITH moves AS (SELECT date, 100 * (price / lag(price) OVER (ORDER BY date) - 1) AS move FROM {metrics_market}),
          worst AS (FROM moves WHERE date >= DATE '2015-01-01' AND move IS NOT NULL ORDER BY move LIMIT 2)
          SELECT min_by(date, move), min(move), max_by(date, move), max(move) FROM worst`,
  },
  {
    question: 'On which day did most money come into the funds?',
    calls: [['top_days', { metric: 'etf_net_flow_usd', limit: 1 }]],
    read: (answer) => top.parse(answer).top.days[0]!,
    sql: `SELECT arg_max(date, etf_net_flow_usd), max(etf_net_flow_usd) FROM {metrics_etfs}`,
  },
  {
    question: 'On which exchange do longs pay most?',
    calls: [['get_ranking', { of: 'exchanges', by: 'Funding Rate', limit: 3 }]],
    read: (answer) => [first(answer).id, first(answer).value],
    sql: `SELECT arg_max(exchange, funding_rate), max(funding_rate) FROM {funding} WHERE date = {today}`,
  },
  {
    question: 'Which three exchanges have the largest open interest?',
    calls: [['get_ranking', { of: 'exchanges', limit: 3 }]],
    read: (answer) => [ids(answer), first(answer).value],
    sql: `SELECT string_agg(exchange, ',' ORDER BY oi_usd DESC), max(oi_usd)
          FROM (FROM {open_interest} WHERE date = {today} ORDER BY oi_usd DESC LIMIT 3)`,
  },
  {
    question: 'Which fund is the largest, and what does it charge?',
    calls: [['get_ranking', { of: 'funds', limit: 1 }]],
    read: (answer) => [first(answer).id, first(answer).value, first(answer).about!],
    sql: `SELECT ticker, btc_holdings, issuer || ', fee ' || fee_percent || ' %' FROM {etf} JOIN {etf_registry} USING (ticker)
          QUALIFY row_number() OVER (PARTITION BY ticker ORDER BY date DESC) = 1 AND btc_holdings IS NOT NULL
          ORDER BY btc_holdings DESC LIMIT 1`,
  },
  {
    question: 'Which fund has taken in most in 30 days?',
    calls: [['get_ranking', { of: 'funds', by: 'net_flow_btc', days: 30, limit: 3 }]],
    read: (answer) => [first(answer).id, first(answer).value],
    sql: `WITH newest AS (SELECT ticker, max(date) AS last FROM {etf} WHERE net_flow_btc IS NOT NULL GROUP BY ticker)
          SELECT ticker, sum(net_flow_btc) AS flow FROM {etf} JOIN newest USING (ticker)
          WHERE date > last - 30 GROUP BY ticker ORDER BY flow DESC LIMIT 1`,
  },
  {
    question: 'Which spot fund in the registry is the cheapest?',
    calls: [['get_ranking', { of: 'funds', by: 'fee', order: 'lowest', limit: 1 }]],
    read: (answer) => [first(answer).value],
    sql: `SELECT min(fee_percent) FROM {etf_registry}`,
  },
  {
    question: 'How much does MicroStrategy hold, and what part of the supply is that?',
    calls: [['get_treasuries', { entity: 'MicroStrategy', rows: 'none' }]],
    read: (answer) => [of(answer, 'btc_amount').last, of(answer, 'percentage_of_total_supply').last],
    sql: `SELECT btc_amount, percentage_of_total_supply FROM {treasuries} JOIN {treasury_registry} USING (id)
          WHERE name = 'Strategy' AND date = {today}`,
  },
  {
    question: 'Which public company bought most in 30 days?',
    calls: [['get_ranking', { of: 'treasuries', by: 'purchases', type: 'public', days: 30, limit: 3 }]],
    read: (answer) => [first(answer).id, first(answer).value],
    sql: `SELECT id, sum(net_flow_btc) AS bought FROM {treasuries} JOIN {treasury_registry} USING (id)
          WHERE type = 'public' AND ${inDays(30)} GROUP BY id ORDER BY bought DESC LIMIT 1`,
  },
  {
    question: 'Which three governments hold most?',
    calls: [['get_ranking', { of: 'treasuries', type: 'government', limit: 3 }]],
    read: (answer) => [ids(answer), first(answer).value],
    sql: `SELECT string_agg(id, ',' ORDER BY btc_amount DESC), max(btc_amount) FROM (
            SELECT id, btc_amount FROM {treasuries} JOIN {treasury_registry} USING (id)
            WHERE type = 'government' AND date = {today} ORDER BY btc_amount DESC LIMIT 3)`,
  },
  {
    question: 'Which pool finds most blocks?',
    calls: [['get_ranking', { of: 'pools', by: 'blocks', days: 30, limit: 1 }]],
    read: (answer) => [first(answer).id, first(answer).value],
    sql: `SELECT pool, sum(blocks) AS found FROM {pool_days} WHERE ${inDays(30)} GROUP BY pool ORDER BY found DESC LIMIT 1`,
  },
  {
    question: 'Coins of which age have the highest cost?',
    calls: [['get_ranking', { of: 'cohorts', by: 'realized_price', limit: 1 }]],
    read: (answer) => [first(answer).id, first(answer).value],
    sql: `SELECT cohort, realized_cap / (supply_sats / 1e8) AS cost FROM {cohorts} WHERE date = {today} AND supply_sats > 0
            AND cohort IN ('24h', '1d_1w', '1w_1m', '1m_3m', '3m_6m', '${oldBands.join("', '")}', 'lth', 'sth')
          ORDER BY cost DESC LIMIT 1`,
  },
  {
    question: 'How does the price of this cycle compare with the last one on the same day?',
    calls: [['compare_cycles', {}]],
    read: (answer) => {
      const [running, before] = cycles.parse(answer).cycles
      return [running!.times_start, before!.times_start, ...before!.whole!.highest.slice(0, 2)]
    },
    sql: `WITH started AS (FROM {cycles} WHERE family = 'halving' QUALIFY row_number() OVER (ORDER BY cycle DESC) <= 2),
          running AS (FROM started ORDER BY cycle DESC LIMIT 1), before AS (FROM started ORDER BY cycle LIMIT 1),
          priced AS (SELECT date, price FROM {metrics_market})
          SELECT (SELECT price FROM priced WHERE date = {today}) / (SELECT price FROM priced, running WHERE date = start_date),
            (SELECT price FROM priced, before WHERE date = start_date + ({today} - (SELECT start_date FROM running))::INT)
              / (SELECT price FROM priced, before WHERE date = start_date),
            (SELECT max(price) FROM priced, before WHERE date BETWEEN start_date AND end_date),
            (SELECT arg_max(date, price) FROM priced, before WHERE date BETWEEN start_date AND end_date)`,
  },
  {
    question: 'Where did MVRV stand 500 days after each halving?',
    calls: [['compare_cycles', { metric: 'mvrv', day: 500 }]],
    read: (answer) => cycles.parse(answer).cycles.map(({ value }) => value),
    sql: `SELECT * FROM (PIVOT (SELECT cycle, mvrv FROM {cycles} LEFT JOIN {metrics_valuation} ON date = start_date + 500
            WHERE family = 'halving') ON 6 - cycle USING any_value(mvrv))`,
  },
  {
    question: 'How much of the supply last moved between 40,000 and 60,000 dollars?',
    calls: [['get_cost_basis', { price_from: 40_000, price_to: 60_000, bands: 5 }]],
    read: (answer) => {
      const { between } = z
        .object({ between: z.object({ supply_btc: z.number(), percent_of_supply: z.number() }) })
        .parse(answer)
      return [between.supply_btc, between.percent_of_supply]
    },
    sql: `WITH parts AS (SELECT supply_sats, CASE WHEN upper_price > lower_price
              THEN greatest(0, least(upper_price, 60000) - greatest(lower_price, 40000)) / (upper_price - lower_price)
              ELSE 0 END AS share FROM {cost_basis} WHERE date = {today})
          SELECT sum(supply_sats * share) / 1e8, 100 * sum(supply_sats * share) / sum(supply_sats) FROM parts`,
  },
  {
    question: 'How has the hash rate changed in a year?',
    calls: [['get_blockchain', { fields: ['hash_rate_30d'], days: 366, rows: 'none' }]],
    read: (answer) => [of(answer).last, of(answer).change_percent!],
    sql: `SELECT hash_rate_30d, 100 * (hash_rate_30d / lag(hash_rate_30d, 365) OVER (ORDER BY date) - 1)
          FROM {metrics_blockchain} QUALIFY date = {today}`,
  },
  {
    question: 'What have miners earned in fees in 90 days, and on which day most?',
    calls: [['get_blockchain', { metric: 'fees', days: 90, rows: 'none' }]],
    read: (answer) => [of(answer).sum!, of(answer).max.value, of(answer).mean],
    sql: `SELECT sum(fees), max(fees), avg(fees) FROM {metrics_blockchain} WHERE ${inDays(90)}`,
  },
  {
    question: 'Do price and long-term supply move together?',
    calls: [['compare_metrics', { metrics: ['price', 'lth_supply'], days: 365, rows: 'none' }]],
    read: (answer) => {
      const { correlations } = z
        .object({ correlations: z.array(z.object({ of_values: z.number(), of_daily_changes: z.number() })) })
        .parse(answer)
      return [correlations[0]!.of_values, correlations[0]!.of_daily_changes]
    },
    sql: `WITH days AS (SELECT date, price, lth_supply FROM {metrics_market} JOIN {metrics_supply} USING (date) WHERE ${inDays(365)}),
          moves AS (SELECT price - lag(price) OVER (ORDER BY date) AS one, lth_supply - lag(lth_supply) OVER (ORDER BY date) AS other FROM days)
          SELECT round((SELECT corr(price, lth_supply) FROM days), 4), round((SELECT corr(one, other) FROM moves), 4)`,
  },
  {
    question: 'How far is the price above its mean of 200 days?',
    calls: [['get_series', { formula: 'price / sma(price, 200)', rows: 'none' }]],
    read: (answer) => [of(answer).last, of(answer).min.value, of(answer).max.value],
    sql: `WITH ratios AS (SELECT date, price / avg(price) OVER (ORDER BY date ROWS 199 PRECEDING) AS ratio FROM {metrics_market} WHERE price IS NOT NULL)
          SELECT arg_max(ratio, date), min(ratio), max(ratio) FROM ratios WHERE ${inDays(30)}`,
  },
  {
    question: 'Who pays for whom on futures, on average of 30 days?',
    calls: [['get_funding', { days: 30, rows: 'none' }]],
    read: (answer) => [of(answer, 'avg_funding_rate').mean],
    sql: `SELECT avg(avg_funding_rate) FROM {metrics_derivatives} WHERE ${inDays(30)}`,
  },
  {
    question: 'Are these numbers real, and how fresh are they?',
    calls: [['get_status', {}]],
    read: (answer) => {
      const status = z
        .object({ simulated: z.boolean(), last_full_day: z.string(), newest_block: z.object({ height: z.number() }) })
        .parse(answer)
      return [String(status.simulated), status.last_full_day, status.newest_block.height]
    },
    sql: `SELECT 'true', {today}, (SELECT max(height) FROM {blocks})`,
  },
]

const searched = [
  ['How many coins lie on exchanges?', 'search_metrics', 'exchange balance', 'balances and flows of exchanges'],
  ['How many people own bitcoin?', 'search_metrics', 'how many people own bitcoin', 'numbers of people'],
  ['How large is the Lightning network?', 'search_metrics', 'lightning network capacity', 'the Lightning network'],
  ['What does the fear and greed index say?', 'search', 'fear and greed index', 'the fear and greed index'],
] as const
export const unanswerable: readonly Unanswerable[] = [
  ...searched.map(([question, tool, query, about]): Unanswerable => ({ question, calls: [[tool, { query }]], about })),
]
