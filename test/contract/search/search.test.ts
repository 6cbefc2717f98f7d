import { describe, expect, test } from 'vitest'
import { aliases } from '#compute/catalogue/aliases.ts'
import { animalEnd } from '#contract/cohorts.ts'
import { answeringIds, MetricNames } from '#contract/metric-ids.ts'
import { findNotTracked } from '#contract/search/not-tracked.ts'
import { isTracked, searchMetrics } from '#contract/search/search.ts'
import { questions } from '#contract/search/tables.ts'
import { splitWords } from '#contract/search/words.ts'
import { catalogue } from '#test/mcp/support/mainnet-catalogue.ts'
import { addedQuestions, fiftyQuestions, laterQuestions } from './fifty-questions.ts'
import { thirtySearches } from './thirty-searches.ts'

const search = (query: string, most = 5): string[] =>
  searchMetrics(catalogue.metrics, query, most).metrics.map(({ id }) => id)

describe('a search finds what is meant', () => {
  test.each([
    ['mvrv', 'mvrv'],
    ['MVRV Z-Score', 'mvrv_z'],
    ['realized price', 'realized_price'],
    ['is Bitcoin overvalued right now?', 'mvrv'],
    ['long-term holders supply', 'lth_supply'],
    ['what did short term holders pay', 'sth_realized_price'],
    ['HODL waves', 'supply_percent_1y_2y'],
    ['old coins moving', 'spent_volume_over_1y'],
    ['fear and greed', 'nupl'],
    ['200 week moving average', 'price_sma_1400'],
    ['hashrate', 'hash_rate_7d'],
    ['miners capitulation', 'hash_ribbon'],
    ['leverage in futures', 'total_oi_usd'],
    ['ETF flows', 'etf_net_flow_usd'],
    ['microstrategy treasury', 'dat_public_company_btc'],
    ['transaction fees', 'fees'],
    ['supply 1y_2y', 'supply_1y_2y'],
    ['URPD', 'cost_basis_distribution'],
    ['stock to flow', 'stock_to_flow'],
    ['funding rate', 'avg_funding_rate'],
    ['is the market overheated?', 'mvrv_z'],
    ['overbought', 'rsi_14'],
    ['top signal', 'pi_cycle_ratio'],
    ['what did ETFs do this week', 'etf_net_flow_usd'],
    ['Michael Saylor', 'dat_btc_amount_1'],
    ['are we in a bear market', 'drawdown'],
  ])('%s', (query, id) => {
    expect(search(query)).toContain(id)
  })
})

test('the metric of an exact id comes first, before its variants', () => {
  for (const id of ['price', 'mvrv', 'sopr', 'supply_10y_plus', 'lth_supply']) expect(search(id, 1), id).toEqual([id])
})

test('words of every question neither weaken nor name an answer', () => {
  for (const query of ['price', 'what was the bitcoin price last year', 'price in 2027']) {
    const { metrics, scores } = searchMetrics(catalogue.metrics, query, 1)
    expect([metrics[0]?.id, scores], query).toEqual(['price', [1]])
  }
  expect(search('is it overvalued right now?', 1)).toEqual(search('overvalued', 1))
})

describe('what cannot be told is said, with what comes nearest', () => {
  test.each([
    ['what will the price be in 2027', /^not tracked: forecasts; /, 'price'],
    ['hashrate forecast', /^not tracked: forecasts; /, 'hash_rate_7d'],
    ['price in euro', /^not tracked: prices in other currencies; /, 'price'],
    ['current live price', /^not tracked: live values; /, 'price'],
    ['miner reserves', /^not tracked: balances of miners; /, 'supply_mined'],
    ['how many bitcoin are on exchanges', /^not tracked: balances and flows of exchanges; /, undefined],
    ['bitcoin held by Binance', /^not tracked: balances and flows of exchanges; /, undefined],
    ['volume traded on CME futures', /^not tracked: options and dated futures; /, 'total_oi_usd'],
    ["Satoshi's coins", /^not tracked: coins of Satoshi/, 'supply_10y_plus'],
    ['capital gains tax', /^not tracked: taxes/, 'price'],
    ['hash rate by country', /^not tracked: countries of miners; /, 'hash_rate_7d'],
    ['google searches for bitcoin', /^not tracked: searches and social media; /, undefined],
  ])('%s', (query, missing, id) => {
    const { metrics, notTracked: said } = searchMetrics(catalogue.metrics, query, 5)
    expect(said).toMatch(missing)
    if (id !== undefined) expect(metrics.map((metric) => metric.id)).toContain(id)
  })

  test.each([
    ['what do users pay in fees in total each day', 'fees'],
    ['mempool clearing price sat/vB', 'fee_rate_mean'],
    ['dormant whales waking up', 'coindays_destroyed'],
    ["bitcoin's annual issuance compared with existing stock", 'stock_to_flow'],
    ['price target for bottom from cumulative value days destroyed', 'cvdd'],
    ["how big will my node's disk need to be", 'chain_size'],
  ])('but not of what can be told: %s', (query, id) => {
    const { metrics, notTracked: said } = searchMetrics(catalogue.metrics, query, 3)
    expect(said).toBeUndefined()
    expect(metrics.map((metric) => metric.id)).toContain(id)
  })

  test('but not of any question that a metric answers', () => {
    const all = [...questions.values()].flat()
    expect(all.length).toBeGreaterThan(4000)
    expect(all.filter((query) => !isTracked(catalogue.metrics, query))).toEqual([])
  })

  test('but for when the next halving will be', () => {
    expect(searchMetrics(catalogue.metrics, 'when will the next halving be', 5)).toMatchObject({
      metrics: expect.arrayContaining([expect.objectContaining({ id: 'blocks_to_halving' })]),
    })
  })
})

test('words that mean nothing here find nothing', () => {
  expect(search('xyzzy qwerty')).toEqual([])
  expect(search('how do I bake bread')).toEqual([])
  expect(search('the of')).toEqual([])
  expect(search('???')).toEqual([])
})

describe('of thirty searches of the field', () => {
  test.each(thirtySearches)('%s', (query, ...ids) => {
    const { metrics, notTracked: missing } = searchMetrics(catalogue.metrics, query, 3)
    if (ids.length === 0) expect(missing).toMatch(/^not tracked: .+; .+/)
    else {
      expect(missing).toBeUndefined()
      expect(metrics.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
    }
  })
})

describe('of the questions of a trader, a journalist and a miner', () => {
  test.each([...fiftyQuestions, ...laterQuestions, ...addedQuestions])('%s', (query, ...ids) => {
    const { metrics, notTracked: missing } = searchMetrics(catalogue.metrics, query, 3)
    if (ids.length === 0) expect(missing).toMatch(/^not tracked: .+; .+/)
    else {
      expect(missing).toBeUndefined()
      expect(ids).toContain(metrics.map(({ id }) => id).find((id) => ids.includes(id)))
    }
  })
})

test('words that look like others do not make a search untracked', () => {
  for (const query of ['how much profit was taken', 'while the whole market is in profit', 'something about sopr']) {
    expect(searchMetrics(catalogue.metrics, query, 3).notTracked, query).toBeUndefined()
  }
})

test('a cohort, fund, company or exchange in everyday words selects its metric', () => {
  expect(search('are coins from 2011 being spent', 1)).toEqual(['spent_volume_y2011'])
  expect(search('holders from 2020 underwater', 1)).toEqual(['supply_in_loss_y2020'])
  expect(search('fidelity etf inflows', 1)).toEqual(['etf_net_flow_btc_fbtc'])
  expect(search('el salvador holdings', 1)).toEqual(['dat_btc_amount_65'])
  expect(search('unrealized gains of coins held longer than 155 days', 1)).toEqual(['lth_unrealized_profit'])
  expect(search('price in 2021', 1)).toEqual(['price'])
  expect(search('record volume', 1)).toEqual(['volume'])
  expect(search('20 week moving average', 1)).toEqual(['price_sma_140'])
})

test('words for the size, script and age of coins select the metric of these coins', () => {
  expect(search('supply in outputs of more than a thousand bitcoin', 1)).toEqual(['supply_over_1k_btc'])
  expect(search('realized price of outputs over 100 btc', 1)).toEqual(['realized_price_over_100_btc'])
  expect(search('supply between 10 and 100 bitcoin', 1)).toEqual(['supply_10_100_btc'])
  expect(search('small outputs under 0.01 btc count', 1)).toEqual(['utxo_count_under_1m_sats'])
  expect(search('number of coins that stayed put since 2017', 1)).toEqual(['supply_y2017'])
  expect(search('mvrv of whales', 1)).toEqual(['mvrv_over_1k_btc'])
  expect(search('value stored in taproot', 1)).toEqual(['supply_p2tr'])
  expect(search('quantum vulnerable coins', 1)).toEqual(['supply_exposed'])
  expect(search('realized price of coins aged 36 to 60 months', 1)).toEqual(['realized_price_3y_5y'])
  expect(search('is bitcoin worth the risk over a year', 1)).toEqual(['sharpe_365d'])
  expect(search('profit to loss of sellers over a month', 3)).toContain('realized_pl_ratio_30d')
  expect(search('how many outputs are older than ten years', 3)).toContain('utxo_count_10y_plus')
  expect(search('what did the class of 2021 pay', 3)).toContain('realized_price_y2021')
  expect(search('monthly savings plan since 2019, outcome', 1)).toEqual(['dca_return_since_2019'])
  expect(search('wallets with more than 1,000 btc', 3)).toContain('addresses_over_1k_btc')
})

test('a share, a median, a sum of all days and a length of time are found in other words', () => {
  expect(search('share of coins bought too high', 1)).toEqual(['supply_in_loss_percent'])
  expect(search('size of the middle payment', 1)).toEqual(['transfer_value_median'])
  expect(search('profits cashed in since the beginning', 1)).toEqual(['cumulative_realized_profit'])
  expect(search('price swings of the quarter', 1)).toEqual(['realized_vol_3m'])
  expect(search('losses that sellers booked over the month', 3)).toContain('realized_loss_30d_sum')
})

describe('everyday words find their metric among the first three', () => {
  test.each([
    ['a corrected word may belong to a phrase', 'how much bitcoin does the US goverment own', 'dat_btc_amount_60'],
    ['no metric of blocks is of an age', 'blocks found in the last 24 hours', 'blocks_mined'],
    ['a period may be in words', 'how much supply was bought in the past twelve months', 'supply_under_1y'],
    ['and a year in a phrase', 'result of buying every day since the start of 2016', 'dca_return_since_2016'],
    ['buyers of a year', 'are folks who got in during the 2017 boom in the red', 'supply_in_loss_y2017'],
    ['a question of words that are in all questions', 'how did bitcoin do this week', 'return_7d'],
    ['several kinds of figures of a fund', 'how many coins are in the Hong Kong funds', 'etf_btc_holdings_3042_hk'],
    ['all old coins, not those of one script', 'supply held for more than ten years', 'supply_10y_plus'],
    ['a bankrupt exchange is an entity', 'what does the Mt. Gox exchange still hold', 'dat_btc_amount_55'],
    [
      'of metrics of exchanges without a total, one is found',
      'which exchange has most perpetual positions',
      'oi_share_binance',
    ],
    ['long-term holders have many names', 'did seasoned owners part with coins', 'lth_supply_change_30d'],
    ['a percent sign is a word', 'what % of bitcoin has been mined', 'supply_issued_percent'],
    ['numbers in words are numbers', 'what do ninety percent of coins cost at most', 'cost_basis_p90'],
    ['a number is not the number of a company', 'how expensive would a 51% attack be', 'hash_rate_7d'],
    ['a time in the past is no age of coins', 'is bitcoin more stable than it was five years ago', 'realized_vol_1y'],
    ['a year that coins have rested since', 'coins that have not moved since 2010', 'supply_y2010'],
    ['an age in days', 'how much of the circulating supply moved in the last 90 days', 'supply_under_3m'],
    ['other words for regular buying', 'if I had put in $100 a month since 2018', 'dca_return_since_2018'],
    ['mempools say nothing of blocks', 'mempool congestion, how full are blocks', 'block_fullness_percent'],
    ['a size of wallets is no size of outputs', 'how many wallets hold more than 100 coins', 'addresses_over_100_btc'],
    ['people who own coins are addresses', 'how many people own at least a whole coin', 'addresses_over_1_btc'],
    ['a range of balances', 'how much do addresses with 10 to 100 btc hold', 'supply_addresses_10_to_100_btc'],
    ['an apostrophe ends a word', "I'm curious what all bitcoin in the world is worth", 'market_cap'],
    ['a day is no age of volume', 'trading volume on spot markets in 24h', 'volume'],
    ['newcomers have many names', 'are the new guys underwater', 'sth_supply_in_loss'],
    ['since is since the newest year', 'year to date gain', 'return_since_2024'],
    ['funds are compared with Satoshi', 'do etfs own more than satoshi', 'etf_total_btc_holdings'],
  ])('%s: %s', (_why, query, id) => {
    const { metrics, notTracked: missing } = searchMetrics(catalogue.metrics, query, 3)
    expect(missing).toBeUndefined()
    expect(metrics.map((metric) => metric.id)).toContain(id)
  })
})

test('words of like meaning find what no question says in these words', () => {
  const query = 'nosedive from the zenith'
  expect([...questions.values()].flat().filter((text) => /nosedive|zenith/.test(text))).toEqual([])
  expect(search(query, 3)).toContain('drawdown')
})

describe('a search with slips of the keyboard finds what was meant', () => {
  test.each([
    ['hashrte', 'hash_rate_1d'],
    ['sorp', 'sopr'],
    ['relized price', 'realized_price'],
    ['realisedprice', 'realized_price'],
    ['fundingrate', 'avg_funding_rate'],
    ['micro strategy', 'dat_btc_amount_1'],
    ['dificultyy', 'difficulty'],
    ['puell multipel', 'puell_multiple'],
    ['liveli', 'liveliness'],
    ['open intrest', 'total_oi_usd'],
  ])('%s', (query, id) => {
    expect(search(query, 3)).toContain(id)
  })
})

test('a name within a sentence wins, the longest of several', () => {
  expect(search('nupl 0.75', 1)).toEqual(['nupl'])
  expect(search('is a mvrv z score above 7 a reason to sell', 1)).toEqual(['mvrv_z'])
  expect(search('what does the puell multiple say about the top', 1)).toEqual(['puell_multiple'])
})

test('the metric of all coins comes before those of cohorts, unless a cohort is named', () => {
  expect(search('sopr', 1)).toEqual(['sopr'])
  expect(search('microstrategy', 1)).toEqual(['dat_btc_amount_1'])
  expect(search('are short-term holders underwater', 1)).toEqual(['sth_supply_in_loss'])
  expect(search('sopr of short-term holders', 1)).toEqual(['sth_sopr'])
  expect(search('mvrv of coins older than five years', 1)).toEqual(['mvrv_over_5y'])
  expect(search('realized price of coins aged 1 to 2 years', 1)).toEqual(['realized_price_1y_2y'])
})

test('a search takes less than 20 ms of processor time once its index exists', () => {
  search('mvrv')
  const before = process.cpuUsage()
  for (const [question] of fiftyQuestions) search(question, Number.POSITIVE_INFINITY)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000 / fiftyQuestions.length).toBeLessThan(20)
})

test('what is tracked is not said to be missing', () => {
  const names = catalogue.metrics.flatMap(({ id, name, aliases: others }) => [
    ...[id, name],
    ...others.filter((other) => !animalEnd.test(other)),
  ])
  const missing = names.filter((name) => findNotTracked(splitWords(name.replaceAll('_', ' '))))
  expect(missing).toEqual([])
})

describe('a name that a metric has elsewhere', () => {
  const all = Object.entries(aliases).flatMap(([id, texts]) => texts.map((text) => ({ id, text })))
  const names = new MetricNames(catalogue.metrics)
  const ownName = (text: string): string => text.replace(/^[^:]*: /, '')

  test('finds it first, unless it is the id of another', () => {
    const lost = all.filter(({ id, text }) => {
      const namesakes = names.namesakes(ownName(text)).map((metric) => metric.id)
      return !search(ownName(text), namesakes.length).includes(namesakes.includes(id) ? id : namesakes[0]!)
    })
    expect(lost).toEqual([])
  })

  test('is accepted as its id in any case, with or without its vendor', () => {
    const refused = all.filter(({ id, text }) => {
      const name = ownName(text).toUpperCase().replaceAll('_', ' ')
      return (
        names.find(text.toLowerCase())?.id !== id ||
        ![id, name.toLowerCase().replaceAll(' ', '_')].includes(names.find(name)?.id ?? '')
      )
    })
    // Of one name both metrics are told; an exact id wins over the same name of another metric.
    expect(refused.map(({ text }) => text)).toEqual(['S2F', 'CheckOnChain: S2F'])
    expect(names.namesakes('s2f').map(({ id }) => id)).toEqual(['stock_to_flow', 'stock_to_flow_checkonchain'])
    expect(names.find('TOP CAP')?.id).toBe('top_cap')
    expect(names.find('BlackRock ETF holdings')).toBeUndefined()
  })

  test('covers the ids of vendors', () => {
    const count = (vendor: string): number => all.filter(({ text }) => text.startsWith(`${vendor}: `)).length
    expect(count('Glassnode')).toBeGreaterThanOrEqual(147)
    expect(count('Coin Metrics')).toBeGreaterThanOrEqual(55)
    expect(count('CryptoQuant')).toBeGreaterThanOrEqual(30)
  })
})

test('the aliases are those of metrics that there are, and no two metrics answer to one id', () => {
  expect(Object.keys(aliases).filter((id) => catalogue.find(id)?.id !== id)).toEqual([])
  const ids = catalogue.metrics.flatMap(answeringIds)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})
