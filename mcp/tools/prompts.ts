import { completable, type McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { cycleFamilies } from '#contract/cycle-families.ts'

const analysisRules = `Rules: use only numbers that the tools return, each with its unit and date. Say since when a percentile counts (percentile.since); where it is null say so, and judge nothing as high or low by a few weeks. What carries only_since is no record. Pass on every entry of notes that limits the answer, above all if the data are made up or the history is cut. If a tool needs a higher tier, go on without it and say what is missing. Tell what would speak against the conclusion. This is no investment advice.`

const suggestedDays = ['7', '30', '90', '180', '365', '730', '1460', '10000']

const daysArgument = completable(
  z
    .string()
    .regex(/^([1-9]\d{0,3}|10000)$/, 'must be a whole number from 1 to 10000')
    .describe('Number of days to look back'),
  (begun) => suggestedDays.filter((days) => days.startsWith(begun)),
).optional()

const overDays = (title: string, description: string) => ({
  title,
  description,
  argsSchema: z.object({ days: daysArgument }),
})

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'market_overview',
    overDays('Market overview', 'Where Bitcoin stands today: price, valuation, holders, derivatives, funds.'),
    ({ days = '30' }) =>
      ask(`Give an overview of the Bitcoin market over the last ${days} days.
1. get_status: how fresh are the data?
2. get_prices with days ${days}: price, change, drawdown, volatility.
3. get_holder_valuation with fields mvrv, realized_price, mayer_multiple: expensive or cheap against the past?
4. get_holder_supply with fields lth_supply, sth_supply: who accumulates?
5. get_holder_profit with fields nupl, sopr, percent_supply_in_profit: who is in profit, and who takes it?
6. get_funding, get_open_interest, get_etf, each with days ${days}: leverage and flows, as far as there are data.
7. render_chart with metric price, days ${days}, if charts are allowed.
Answer in at most six short paragraphs, the most telling first.`),
  )
  server.registerPrompt(
    'valuation_check',
    {
      title: 'Valuation check',
      description: 'Is Bitcoin expensive or cheap against its own history?',
    },
    () =>
      ask(`Is Bitcoin overvalued against its own history?
1. get_holder_valuation with fields mvrv, mvrv_z, realized_price, mayer_multiple, puell_multiple, reserve_risk and days 365.
2. get_holder_profit with fields nupl, percent_supply_in_profit.
3. get_series with metrics price, balanced_price, true_market_mean, price_sma_1400: how far is the price from each?
4. Read percentile of each: how many agree that it is expensive (above 80) or cheap (below 20)? Several of them measure nearly the same thing, so count them once. Where every percentile is null, stop: say that history is not seen, and that nothing can be said of expensive or cheap.
5. find_days with condition mvrv > x, x being today's value: how often was it higher, and what followed?
6. render_chart with metrics price and realized_price, scale log, days 10000, if charts are allowed.
Answer first in one sentence, then give the evidence as a table: metric, value, percentile, reading.`),
  )
  server.registerPrompt(
    'holder_behaviour',
    overDays('Holder behaviour', 'Do long-term holders accumulate or sell, and do old coins move?'),
    ({ days = '90' }) =>
      ask(`What have the holders of Bitcoin done in the last ${days} days?
1. get_holder_supply with days ${days} and fields lth_supply, sth_supply, lth_supply_percent, supply_1y_2y, supply_10y_plus; note change.
2. get_coindays with days ${days}: coindays_destroyed, liveliness, dormancy, revived_supply_1y, revived_supply_5y.
3. get_holder_profit with fields lth_sopr, sth_sopr, realized_profit, realized_loss.
4. get_cohort_metrics for lth and for sth with fields realized_price, mvrv: what did they pay?
5. compare_metrics with price and lth_supply, days 365.
Supply moves from one age band to the next by mere ageing, and moves between wallets of one owner look like spending: say where that matters.`),
  )
  server.registerPrompt(
    'cycle_comparison',
    {
      title: 'Cycle comparison',
      description: 'How the running cycle compares with earlier ones on the same day.',
      argsSchema: z.object({
        family: completable(z.enum(cycleFamilies).describe('Where cycles begin; halving without it'), (begun) =>
          cycleFamilies.filter((name) => name.startsWith(begun)),
        ).optional(),
      }),
    },
    ({ family = 'halving' }) =>
      ask(`Compare the running Bitcoin cycle with earlier ones.
1. get_cycle_boundaries with family ${family}.
2. compare_cycles with family ${family}: price on the same day of each cycle, and where each was highest; the same with metric mvrv.
3. get_series with metrics drawdown, days_since_ath.
4. render_chart with metric price, x_axis day_offset, cycle_family ${family}, scale log, if charts are allowed.
There have been few cycles, and lows and tops are known only afterwards: say how little that proves.`),
  )
  server.registerPrompt(
    'miner_health',
    overDays('Miner health', 'Revenue, hash rate and stress of miners.'),
    ({ days = '90' }) =>
      ask(`How are Bitcoin miners doing over the last ${days} days?
1. get_blockchain with days ${days} and fields hash_rate_30d, difficulty, miner_revenue_usd, fees_percent, hash_price, hash_ribbon.
2. get_series with metrics puell_multiple, miner_revenue_usd and days ${days}.
3. get_metric for hash_ribbon, to read it rightly.
Hash rate is estimated from blocks found, so a single day says little. Miners' costs are not known here.`),
  )
}

const ask = (task: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `${task}\n\n${analysisRules}` } }],
})
