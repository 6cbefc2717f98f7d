import type { FakeVenue } from './fake-server.ts'

/** Business days on which the fund reports. */
export const fundDates = [
  '2026-11-09',
  '2026-11-10',
  '2026-11-12',
  '2026-11-13',
  '2026-11-16',
  '2026-11-17',
  '2026-11-18',
]

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const formats = new Map(
  [2, 5].map((digits) => [
    digits,
    new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  ]),
)
const thousands = (value: number, digits: 2 | 5): string => formats.get(digits)!.format(value)

/** The holdings file as iShares writes it; without a date it says that there is none. */
export function holdingsFile(date: string | undefined, holdings: number): string {
  const [year, month, day] = date?.split('-') ?? []
  const asOf = date ? `${months[Number(month) - 1]} ${day}, ${year}` : '-'
  return [
    '\uFEFFiShares Bitcoin Trust ETF',
    `Fund Holdings as of,"${asOf}"`,
    'Inception Date,"Jan 05, 2024"',
    `Shares Outstanding,"${thousands(holdings * 1_770, 2)}"`,
    'Stock,"-"',
    '\u00a0',
    'Ticker,Name,Sector,Asset Class,Market Value,Weight (%),Notional Value,Quantity,Market Currency,Accrual Date',
    `"BTC","BITCOIN","-","Alternative","${thousands(holdings * 90_000, 2)}","100.00","1","${thousands(holdings, 5)}","BTC","-"`,
    '"USD","USD CASH","-","Cash","13,366.70","0.00","13,366.70","13,366.70000","USD","-"',
    '"The content contained herein is owned or licensed by BlackRock"',
  ].join('\n')
}

export const holdingsOn = (date: string): number => 800_000 + 100.25 * fundDates.indexOf(date)

export const isharesVenue: FakeVenue = {
  stream: ({ path }) => path,
  nothing: () => ({ body: Buffer.from(holdingsFile(undefined, 0)) }),
  answer: ({ path, query }) => {
    const asked = path.endsWith('/latest-holdings.csv') ? fundDates.at(-1) : query.get('asOfDate')
    const date = fundDates.find((known) => known.replaceAll('-', '') === asked?.replaceAll('-', ''))
    return { body: Buffer.from(holdingsFile(date, date ? holdingsOn(date) : 0)) }
  },
}

/**
 * One answer per fund, newest first, with nothing yet for the newest day; at most `perMinute`
 * requests a minute.
 */
export function sosovalueVenue(perMinute = Number.POSITIVE_INFINITY): FakeVenue {
  let left = perMinute
  return {
    stream: ({ path }) => path,
    nothing: () => ({ body: { code: 0, message: 'success', data: [] } }),
    answer: ({ path, headers }) => {
      if (headers['x-soso-api-key'] !== 'the-key')
        return { status: 401, body: { code: 401, message: 'invalid api key' } }
      if (left-- <= 0) return { status: 429, headers: { 'retry-after': '600' }, body: { code: 429, message: 'limit' } }
      const ticker = path.split('/')[4]
      const data = [...fundDates].reverse().map((date, i) => {
        const flows = { net_inflow: 1.5e6 * i, cum_inflow: 1, net_assets: 7e9 }
        return { date, ticker, ...flows, currency_share: 0.006, prem_dsc: -0.0004, value_traded: 9e7, volume: '812345' }
      })
      return { body: ticker === 'GBTC' ? data : { code: 0, message: 'success', data } }
    },
  }
}

/** Purchases of one entity: 300 of them, so that they take two pages. */
export const purchases = Array.from({ length: 300 }, (_, i) => ({
  date: Date.parse('2020-08-11T13:00Z') + i * 5 * 86_400_000,
  source_url: `https://example.org/${i}`,
  coin_id: 'bitcoin',
  type: 'buy',
  holding_net_change: 10 + i,
  holding_balance: ((20 + i) * (i + 1)) / 2,
}))

/** CoinGecko: ids are slugs; pages of at most 250; another coin among the transactions. */
export const coingeckoVenue: FakeVenue = {
  stream: ({ path, query }) => `${path} ${query.get('entity_type')}`,
  nothing: ({ path }) => ({ body: path.endsWith('/list') ? [] : { transactions: [] } }),
  answer: ({ path, query, headers }) => {
    if (headers['x-cg-demo-api-key'] !== 'the-key') return { status: 401, body: { status: { error_code: 10_002 } } }
    const size = Math.min(250, Number(query.get('per_page') ?? 100))
    const start = (Number(query.get('page') ?? 1) - 1) * size
    if (path === '/api/v3/entities/list') {
      const companies = [
        { id: 'strategy', symbol: 'MSTR.US', name: 'MicroStrategy', country: 'US' },
        { id: 'metaplanet', symbol: '3350.T', name: 'Metaplanet Inc.', country: 'JP' },
        { id: 'hive-digital', symbol: 'HIVE.V', name: 'HIVE Digital Technologies', country: 'CA' },
        { id: 'unheard-of', symbol: 'WHO.US', name: 'Unheard of', country: 'US' },
        // Another company's ticker, on another exchange.
        { id: 'hive-box', symbol: 'HIVE.AX', name: 'Hive Box', country: 'AU' },
      ]
      const governments = [{ id: 'el-salvador', symbol: null, name: 'El Salvador', country: 'SV' }]
      const all = query.get('entity_type') === 'company' ? companies : governments
      return { body: all.slice(start, start + size) }
    }
    const other = { ...purchases[0]!, coin_id: 'ethereum', holding_net_change: 9e9, holding_balance: 9e9 }
    const transactions = path.includes('/strategy/') ? [other, ...purchases] : purchases.slice(0, 2)
    return { body: { transactions: transactions.slice(start, start + size) } }
  },
}
