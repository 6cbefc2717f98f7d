import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { type Assistant, http } from '../support/clients.ts'
import { dataDir, key, serveDemo, service } from '../support/demo-service.ts'

/**
 * Ten questions that people ask, the calls that answer them, and the answers. What the tools said is put into a
 * sentence, and so is what SQL says of the published tables; both must be the same.
 */

serveDemo()
let assistant: Assistant
beforeAll(async () => {
  assistant = await http.connect(service, key)
})
afterAll(() => assistant?.close())

const point = z.object({ date: z.string(), value: z.number() })
const change = z.object({ absolute: z.number(), percent: z.number().nullable() }).nullable()
const seriesAnswer = z.object({
  statistics: z.array(
    z.looseObject({
      field: z.string(),
      last: point,
      percentile_of_last: z.number(),
      history_days: z.number(),
      change_30d: change,
    }),
  ),
})

/** Asks a tool for series; returns what it says of each field. */
async function statistics(tool: string, given: Record<string, unknown>) {
  const { statistics: all } = seriesAnswer.parse(await assistant.ask(tool, given))
  return (field: string) => {
    const found = all.find((one) => one.field === field)
    if (!found) throw new Error(`${tool} says nothing of ${field}`)
    return found
  }
}

/** One row of numbers; `{name}` stands for a published table. */
async function sql(query: string): Promise<number[]> {
  const [row] = await rowsOf(query.replaceAll(/\{(\w+)\}/g, (_, name: string) => publishedTable(dataDir, name)))
  return row!.map(Number)
}

const oldBands = ['6m_12m', '1y_2y', '2y_3y', '3y_5y', '5y_7y', '7y_10y', '10y_plus']
const lastDate = `(SELECT max(date) FROM {metrics_valuation})`
const percent = (part: number, digits = 2): string => `${part.toFixed(digits)} %`

interface Question {
  readonly question: string
  readonly answer: () => Promise<string>
  readonly expected: () => Promise<string>
}

const questions: Question[] = [
  {
    question: 'Is Bitcoin overvalued against its own history?',
    answer: async () => {
      const { metrics } = z
        .object({ metrics: z.array(z.looseObject({ id: z.string() })) })
        .parse(await assistant.ask('search_metrics', { query: 'is bitcoin overvalued' }))
      const of = await statistics('get_series', { metrics: [metrics[0]!.id] })
      const { last, percentile_of_last, history_days } = of('mvrv')
      return `MVRV is ${last.value.toFixed(6)}; on ${percent(percentile_of_last)} of ${history_days} days it was not higher.`
    },
    expected: async () => {
      const [value, share, days] = await sql(
        `SELECT arg_max(mvrv, date), 100 * avg((mvrv <= (SELECT arg_max(mvrv, date) FROM {metrics_valuation}))::INT), count(mvrv)
         FROM {metrics_valuation} WHERE mvrv IS NOT NULL`,
      )
      return `MVRV is ${value!.toFixed(6)}; on ${percent(share!)} of ${days} days it was not higher.`
    },
  },
  {
    question: 'What has the price done in a month, and how far is it from its high?',
    answer: async () => {
      const of = await statistics('get_prices', {})
      const month = of('close').change_30d?.percent ?? Number.NaN
      return `The price is ${of('close').last.value}, ${percent(month, 4)} in 30 days, ${percent(100 * of('drawdown').last.value, 4)} from its high.`
    },
    expected: async () => {
      const [price, before, high] = await sql(
        `SELECT arg_max(close, date), arg_max(close, date) FILTER (date = ${lastDate} - 30), max(close)
         FROM {prices} WHERE date <= ${lastDate}`,
      )
      return `The price is ${price}, ${percent(100 * (price! / before! - 1), 4)} in 30 days, ${percent(100 * (price! / high! - 1), 4)} from its high.`
    },
  },
  {
    question: 'Do long-term holders accumulate?',
    answer: async () => {
      const of = await statistics('get_holder_supply', { fields: ['lth_supply', 'circulating_supply'] })
      const { last, change_30d } = of('lth_supply')
      const share = (100 * last.value) / of('circulating_supply').last.value
      return `They hold ${last.value.toFixed(8)} BTC, ${percent(share)} of all, ${change_30d?.absolute.toFixed(6)} more than 30 days ago.`
    },
    expected: async () => {
      const [now, all, before] = await sql(
        `SELECT sum(supply_sats) FILTER (cohort = 'lth' AND date = ${lastDate}),
           sum(supply_sats) FILTER (cohort = 'all' AND date = ${lastDate}),
           sum(supply_sats) FILTER (cohort = 'lth' AND date = ${lastDate} - 30) FROM {cohorts}`,
      )
      return `They hold ${(now! / 1e8).toFixed(8)} BTC, ${percent((100 * now!) / all!)} of all, ${((now! - before!) / 1e8).toFixed(6)} more than 30 days ago.`
    },
  },
  {
    question: 'What did the coins of the last months cost, and are they under water?',
    answer: async () => {
      const of = await statistics('get_cohort_metrics', { cohort: 'sth', fields: ['realized_price'] })
      const price = (await statistics('get_prices', { fields: ['close'] }))('close').last.value
      const cost = of('realized_price').last.value
      return `Short-term holders paid ${cost.toFixed(6)} on average; they are ${price < cost ? '' : 'not '}under water.`
    },
    expected: async () => {
      const [cost, price] = await sql(
        `SELECT realized_cap / (supply_sats / 1e8), (SELECT close FROM {prices} WHERE date = ${lastDate})
         FROM {cohorts} WHERE cohort = 'sth' AND date = ${lastDate}`,
      )
      return `Short-term holders paid ${cost!.toFixed(6)} on average; they are ${price! < cost! ? '' : 'not '}under water.`
    },
  },
  {
    question: 'How much of the supply is in profit?',
    answer: async () => {
      const of = await statistics('get_holder_profit', { fields: ['percent_supply_in_profit'] })
      return percent(of('percent_supply_in_profit').last.value, 6)
    },
    expected: async () => {
      const [share] = await sql(
        `SELECT 100 * supply_in_profit / supply FROM {cohorts} WHERE cohort = 'all' AND date = ${lastDate}`,
      )
      return percent(share!, 6)
    },
  },
  {
    question: 'How many coins have not moved for half a year?',
    answer: async () => {
      const { age_bands } = z
        .object({ age_bands: z.array(z.looseObject({ cohort: z.string(), btc: z.number() })) })
        .parse(await assistant.ask('get_utxo_history', { days: 10_000 }))
      const old = age_bands.filter(({ cohort }) => oldBands.includes(cohort))
      return `${old.reduce((sum, { btc }) => sum + btc, 0).toFixed(8)} BTC`
    },
    expected: async () => {
      const [sats] = await sql(
        `SELECT sum(supply_sats) FROM {cohorts} WHERE cohort IN ('${oldBands.join("', '")}') AND date = ${lastDate}`,
      )
      return `${(sats! / 1e8).toFixed(8)} BTC`
    },
  },
  {
    question: 'At which price did the middle coin last move?',
    answer: async () => {
      const { supply_btc, cost_percentiles } = z
        .object({
          supply_btc: z.number(),
          cost_percentiles: z.array(z.object({ percent: z.number(), cost_usd: z.number().nullable() })),
        })
        .parse(await assistant.ask('get_cost_basis'))
      const median = cost_percentiles.find((one) => one.percent === 50)?.cost_usd
      return `Half of ${supply_btc.toFixed(8)} BTC cost at most ${median?.toFixed(6)}.`
    },
    expected: async () => {
      const [sats, median] = await sql(
        `WITH bins AS (SELECT upper_price, sum(supply_sats) OVER (ORDER BY bin) AS below, sum(supply_sats) OVER () AS total
           FROM {cost_basis} WHERE date = ${lastDate})
         SELECT any_value(total), min(upper_price) FILTER (below >= total / 2) FROM bins`,
      )
      return `Half of ${(sats! / 1e8).toFixed(8)} BTC cost at most ${median!.toFixed(6)}.`
    },
  },
  {
    question: 'Which cycle is this, and how old is it?',
    answer: async () => {
      const { cycles } = z
        .object({ cycles: z.array(z.looseObject({ cycle: z.number(), duration_days: z.number().nullable() })) })
        .parse(await assistant.ask('get_cycle_boundaries'))
      return `Cycle ${cycles[0]!.cycle}, ${cycles[0]!.duration_days} days`
    },
    expected: async () => {
      const [cycle, days] = await sql(
        `SELECT max(cycle), (${lastDate} - max(start_date)) + 1 FROM {cycles} WHERE family = 'halving'`,
      )
      return `Cycle ${cycle}, ${days} days`
    },
  },
  {
    question: 'How much leverage is in the market?',
    answer: async () => {
      const interest = (await statistics('get_open_interest', { days: 30 }))('total_oi_usd').last.value
      const rate = (await statistics('get_funding', { days: 30 }))('avg_funding_rate').last.value
      return `${interest.toFixed(2)} USD of open interest, funding ${rate.toFixed(8)}`
    },
    expected: async () => {
      const [interest, rate] = await sql(
        `SELECT sum(oi_usd), (SELECT sum(funding_rate * oi_weight) FROM {funding} WHERE date = ${lastDate})
         FROM {open_interest} WHERE date = ${lastDate}`,
      )
      return `${interest!.toFixed(2)} USD of open interest, funding ${rate!.toFixed(8)}`
    },
  },
  {
    question: 'What came into the funds each week, and at which prices did the weeks end?',
    answer: async () => {
      const { rows } = z.object({ rows: z.array(z.tuple([z.string(), z.number(), z.number(), z.number()])) }).parse(
        await assistant.ask('get_series', {
          metrics: ['etf_net_flow_btc', 'price'],
          formula: 'etf_net_flow_btc / 2',
          interval: '1w',
          days: 14,
        }),
      )
      return rows
        .map(([date, flow, price, half]) => `${date} ${flow.toFixed(6)} ${price} ${half.toFixed(6)}`)
        .join(', ')
    },
    expected: async () => {
      const weeks = await rowsOf(
        `SELECT max(date)::VARCHAR, sum(etf_net_flow_btc), max_by(price, date), sum(etf_net_flow_btc) / 2
         FROM ${publishedTable(dataDir, 'metrics_etfs')} JOIN ${publishedTable(dataDir, 'metrics_market')} USING (date)
         WHERE date >= date_trunc('week', (SELECT max(date) - 13 FROM ${publishedTable(dataDir, 'metrics_etfs')}))
         GROUP BY date_trunc('week', date) ORDER BY 1 DESC`,
      )
      return weeks
        .map(([date, flow, price, half]) => `${date} ${Number(flow).toFixed(6)} ${price} ${Number(half).toFixed(6)}`)
        .join(', ')
    },
  },
  {
    question: 'How much bitcoin do funds and companies hold?',
    answer: async () => {
      const funds = (await statistics('get_etf', {}))('total_btc_holdings').last.value
      const treasuries = (await statistics('get_treasuries', {}))('total_btc').last.value
      return `Funds ${funds.toFixed(4)} BTC, treasuries ${treasuries.toFixed(4)} BTC`
    },
    expected: async () => {
      const [funds] = await sql(
        `SELECT sum(btc_holdings) FROM {etf} JOIN {etf_registry} USING (ticker)
         WHERE feeder_of IS NULL AND date = (SELECT max(date) FROM {etf} WHERE date <= ${lastDate} AND btc_holdings IS NOT NULL)`,
      )
      // Hut 8 reports those of American Bitcoin among its own.
      const [treasuries] = await sql(
        `SELECT sum(btc_amount) FROM {treasuries} JOIN {treasury_registry} USING (id)
         WHERE type IN ('public', 'private') AND name <> 'American Bitcoin' AND date = ${lastDate}`,
      )
      return `Funds ${funds!.toFixed(4)} BTC, treasuries ${treasuries!.toFixed(4)} BTC`
    },
  },
]

describe('questions', () => {
  test.each(questions)('$question', async ({ answer, expected }) => {
    expect(await answer()).toBe(await expected())
  })
})
