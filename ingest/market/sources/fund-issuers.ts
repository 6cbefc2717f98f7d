import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { msPerDay, parseDay } from '#base/days.ts'
import {
  americanDay,
  btcAmount,
  fundReport,
  groupedNumber,
  isoDay,
  newestReportSeries,
  parseFundFile,
} from '../fund-report.ts'
import { type HttpClient, undocumented } from '../http.ts'
import { tables } from '../observations.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal } from '../wire.ts'

/** One or two per issuer and day. */
const requestsPerMinute = 30

const newestHoldings = (
  issuer: Pick<MarketSource, 'id' | 'name' | 'baseUrl'>,
  ...report: Parameters<typeof newestReportSeries>
): MarketSource => ({ ...issuer, requestsPerMinute, series: [newestReportSeries(...report)] })

/** The last line is a disclaimer in the first column. */
const arkRows = z.array(
  z.object({
    date: z.string(),
    company: z.string().optional(),
    shares: z.string().optional(),
    'market value ($)': z.string().optional(),
  }),
)

/** Holdings in whole coins, dated the business day after their close. */
export const ark = newestHoldings(
  { id: 'ark', name: 'ARK holdings file of ARKB', baseUrl: 'https://assets.ark-funds.com' },
  'ARKB',
  async (http) => {
    const file = '/fund-documents/funds-etf-csv/ARK_21SHARES_BITCOIN_ETF_ARKB_HOLDINGS.csv'
    const text = await fetchText(http, 'ark', file)
    return parseFundFile('ark', () => {
      const form = { columns: true, bom: true, skip_empty_lines: true, relax_column_count: true }
      const bitcoin = arkRows.parse(parse(text, form)).find(({ company }) => company?.toUpperCase() === 'BITCOIN')
      return fundReport('ARKB', businessDayBefore(americanDay.parse(bitcoin?.date)), {
        holdings_btc: btcAmount.parse(bitcoin?.shares),
        aum_usd: groupedNumber.parse(bitcoin?.['market value ($)']),
      })
    })
  },
)

const valuations = z.object({
  data: z.array(
    z.object({
      valuation_date: z.iso.date(),
      nav_per_share: decimal.nullish(),
      total_units_outstanding: decimal.nullish(),
      total_nav: decimal.nullish(),
      index: decimal.nullish(),
    }),
  ),
})

/** All valuations of ARKB since launch; coins are net assets ÷ the index that values them. */
export const shares21: MarketSource = {
  id: '21shares',
  name: '21Shares valuations of ARKB',
  baseUrl: 'https://api.secondary.21shares.com',
  requestsPerMinute,
  series: [
    createSeries({
      table: tables.etf,
      identity: { ticker: 'ARKB' },
      startsAt: Date.UTC(2024, 0, 10),
      intervalMs: 4 * msPerDay,
      fullHistory: true,
      fetch: async (http) => {
        const { data } = await http.json(valuations, '/api/product_valuation_history/ARKB')
        return parseFundFile('21shares', () =>
          data.flatMap(({ valuation_date, nav_per_share, total_units_outstanding, total_nav, index }) =>
            total_nav && index
              ? fundReport('ARKB', parseDay(valuation_date), {
                  holdings_btc: btcAmount.parse(total_nav / index),
                  shares_outstanding: total_units_outstanding,
                  nav_usd: nav_per_share,
                  aum_usd: total_nav,
                })
              : [],
          ),
        )
      },
    }),
  ],
}

const basket = z.object({
  asOfDate: isoDay,
  basket: z.array(z.object({ companyName: z.string(), shares: groupedNumber, marketValue: groupedNumber })),
})

/** The fund's page, with holdings as JSON in markup. */
export const bitwise = newestHoldings(
  { id: 'bitwise', name: 'Bitwise page of BITB', baseUrl: 'https://bitbetf.com' },
  'BITB',
  async (http) => {
    const page = await fetchText(http, 'bitwise', '/')
    return parseFundFile('bitwise', () => {
      const holdings = basket.parse(parseEmbedded(page, 'holdings'))
      const bitcoin = holdings.basket.find(({ companyName }) => companyName.toUpperCase() === 'BITCOIN')
      return fundReport('BITB', holdings.asOfDate, {
        holdings_btc: btcAmount.parse(bitcoin?.shares),
        shares_outstanding: groupedNumber.parse(parseEmbedded(page, 'sharesOutstanding')),
        aum_usd: bitcoin?.marketValue,
      })
    })
  },
)

const fundDetails = z.object({ units: btcAmount, shareclassTotalNetAssets: decimal, effectiveDate: isoDay })
const fundPrices = z.object({ effectiveDate: isoDay, nav: decimal, sharesOutstanding: decimal })

/** API behind the product page; `units` are coins. */
export const invesco = newestHoldings(
  { id: 'invesco', name: 'Invesco fund details of BTCO', baseUrl: 'https://dng-api.invesco.com' },
  'BTCO',
  async (http) => {
    const path = '/cache/v1/accounts/en_US/shareclasses/46091J101'
    const fund = { idType: 'cusip', productType: 'ETF' }
    const details = await http.json(fundDetails, path, { ...fund, variationType: 'fundDetails', expand: 'nav' })
    const listing = { ...fund, variationType: 'priceListing', productSubType: 'ETF-Non-40 Act' }
    const prices = await http.json(fundPrices, `${path}/prices`, listing)
    const sameDay = prices.effectiveDate === details.effectiveDate
    return fundReport('BTCO', details.effectiveDate, {
      holdings_btc: details.units,
      shares_outstanding: sameDay ? prices.sharesOutstanding : null,
      nav_usd: sameDay ? prices.nav : null,
      aum_usd: details.shareclassTotalNetAssets,
    })
  },
)

const vaneckHoldings = z.object({
  AsOfDate: isoDay,
  Holdings: z.array(z.object({ HoldingName: z.string(), Shares: z.unknown(), MV: z.unknown() })),
})

/** Data behind the holdings table. */
export const vaneck = newestHoldings(
  { id: 'vaneck', name: 'VanEck holdings of HODL', baseUrl: 'https://www.vaneck.com' },
  'HODL',
  async (http) => {
    const query = { blockId: 348_327, pageId: 243_755, ticker: 'HODL' }
    const { AsOfDate, Holdings } = await http.json(vaneckHoldings, '/Main/HoldingsBlock/GetDataset/', query)
    return parseFundFile('vaneck', () => {
      const bitcoin = Holdings.find(({ HoldingName }) => HoldingName.toLowerCase() === 'bitcoin')
      const [holdings_btc, aum_usd] = [btcAmount.parse(bitcoin?.Shares), groupedNumber.parse(bitcoin?.MV)]
      return fundReport('HODL', AsOfDate, { holdings_btc, aum_usd })
    })
  },
)

const fundFacts = z.object({
  data: z.object({
    FundFact: z.array(z.object({ elemnamestd: z.string(), elemvalue: z.unknown(), asofdatestd: z.unknown() })),
  }),
})
const factsQuery = `query FundFact($productId: String!, $countryCode: String!, $shareClassCode: String!, $languageCode: String!) {
  FundFact(fundid: $productId, shareclasscode: $shareClassCode, countrycode: $countryCode, languagecode: $languageCode) {
    elemnamestd elemvalue asofdatestd
  }
}`

/** GraphQL API behind the fund's page. */
export const franklin = newestHoldings(
  { id: 'franklin', name: 'Franklin Templeton facts of EZBC', baseUrl: 'https://www.franklintempleton.com' },
  'EZBC',
  async (http) => {
    const fund = { productId: '39639', countryCode: 'US', languageCode: 'en_US', shareClassCode: 'SINGLCLASS' }
    const body = { query: factsQuery, variables: fund, operationName: 'FundFact' }
    const path = '/api/pds/price-and-performance'
    const { data } = await http.json(fundFacts, path, { op: 'FundFact', id: 2 }, body)
    return parseFundFile('franklin', () => {
      const facts = new Map(data.FundFact.map((fact) => [fact.elemnamestd, fact]))
      const [coins, shares] = [facts.get('BITCOIN_IN_FUND'), facts.get('SHARES_OUTSTANDING')]
      const sameDay = shares?.asofdatestd === coins?.asofdatestd
      return fundReport('EZBC', isoDay.parse(coins?.asofdatestd), {
        holdings_btc: btcAmount.parse(coins?.elemvalue),
        shares_outstanding: shares && sameDay ? groupedNumber.parse(shares.elemvalue) : null,
      })
    })
  },
)

const trustHoldings = z.object({
  en: z.object({
    effectiveDate: americanDay,
    holdings: z.array(z.object({ securityDescription: z.string(), quantity: z.unknown() })),
  }),
})

export const morganStanley = newestHoldings(
  { id: 'morgan-stanley', name: 'Morgan Stanley holdings of MSBT', baseUrl: 'https://www.morganstanley.com' },
  'MSBT',
  async (http) => {
    const folder = '/im/json/imwebdata/data/product/EF/100761/chart'
    const { en } = await http.json(trustHoldings, `${folder}/etfTradeDateHoldingsCurrent.json`)
    return parseFundFile('morgan-stanley', () => {
      const bitcoin = en.holdings.find(({ securityDescription }) => securityDescription.toUpperCase() === 'BITCOIN')
      return fundReport('MSBT', en.effectiveDate, { holdings_btc: btcAmount.parse(bitcoin?.quantity) })
    })
  },
)

/** Issuers without history; iShares has one. */
export const fundIssuers: readonly MarketSource[] = [ark, shares21, bitwise, invesco, vaneck, franklin, morganStanley]

async function fetchText(http: HttpClient, source: string, path: string): Promise<string> {
  const file = await http.bytes(path)
  if (file) return file.toString('utf8')
  throw undocumented(`${source} has no ${path} any more`)
}

/** Skips weekends. On holidays holdings are those of the previous close. */
function businessDayBefore(date: number): number {
  const weekday = new Date(date * msPerDay).getUTCDay()
  return date - (weekday === 1 ? 3 : weekday === 0 ? 2 : 1)
}

/** Value of `"name":` in JSON within markup, possibly inside a string. */
function parseEmbedded(page: string, name: string): unknown {
  const text = page.includes(`\\"${name}\\":`) ? page.replaceAll('\\"', '"') : page
  const start = text.indexOf(`"${name}":`)
  if (start < 0) throw new Error(`no ${name} in the page`)
  const value = text.slice(start + name.length + 3)
  let depth = 0
  for (let i = 0, quoted = false; i < value.length; i++) {
    const character = value[i]!
    if (character === '"') quoted = !quoted
    if (quoted) continue
    if ('{['.includes(character)) depth++
    if ('}]'.includes(character)) depth--
    const isEnd = depth === 0 ? '}]'.includes(character) : depth < 0
    if (isEnd) return JSON.parse(value.slice(0, depth < 0 ? i : i + 1))
    if (depth === 0 && character === ',') return JSON.parse(value.slice(0, i))
  }
  throw new Error(`no end of ${name} in the page`)
}
