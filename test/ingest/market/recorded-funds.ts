/**
 * What the issuers of funds answer, each in the exact form of its file with a few rows of it:
 * `form` says where that form stands. Amounts are of the order of the real ones.
 */
export interface RecordedAnswer {
  readonly source: string
  /** Path, with the query where there is one. */
  readonly path: string
  readonly form: string
  readonly body: string
  readonly stored: Readonly<Record<string, string | number | null>>
}

export const recordedFunds: readonly RecordedAnswer[] = [
  {
    source: 'ark',
    path: '/fund-documents/funds-etf-csv/ARK_21SHARES_BITCOIN_ETF_ARKB_HOLDINGS.csv',
    form: "ARK's daily holdings files, as public readers of them test it: lower-case columns, dollar signs, grouped numbers, a disclaimer as last line; stamped with the next business day (https://www.ark-funds.com/funds/arkb)",
    body: [
      'date,fund,company,ticker,cusip,shares,market value ($),weight (%)',
      '11/16/2026,ARKB,BITCOIN,,,"34,812","$3,271,459,284.40",100.00%',
      '"The principal risks of investing in the ARK ETFs include: market risk, ""digital assets"" risk."',
    ].join('\n'),
    stored: { ticker: 'ARKB', date: '2026-11-13', holdings_btc: 34_812, aum_usd: 3_271_459_284.4 },
  },
  {
    source: '21shares',
    path: '/api/product_valuation_history/ARKB',
    form: 'the valuation record behind the fund page of 21Shares, as a public reader of it names the fields',
    body: JSON.stringify({
      data: [
        {
          valuation_date: '2026-11-12',
          nav_per_share: '31.2511',
          total_units_outstanding: '104200000',
          total_nav: '3256364620.00',
          index: '93650.12',
        },
        {
          valuation_date: '2026-11-11',
          nav_per_share: null,
          total_units_outstanding: null,
          total_nav: null,
          index: null,
        },
      ],
    }),
    stored: {
      ticker: 'ARKB',
      date: '2026-11-12',
      holdings_btc: 3_256_364_620 / 93_650.12,
      shares_outstanding: 104_200_000,
      nav_usd: 31.2511,
    },
  },
  {
    source: 'bitwise',
    path: '/',
    form: 'the JSON that bitbetf.com carries inside of a script, as a public reader of it names the fields',
    body:
      '<!DOCTYPE html><html><body><script>self.__next_f.push([1,"5:[\\"$\\",\\"div\\",null,{\\"holdings\\":{\\"asOfDate\\":\\"2026-11-13\\",' +
      '\\"basket\\":[{\\"companyName\\":\\"BITCOIN\\",\\"shares\\":38456.12345678,\\"marketValue\\":3612345678.9},' +
      '{\\"companyName\\":\\"CASH\\",\\"shares\\":0,\\"marketValue\\":0}]},\\"sharesOutstanding\\":70560000,\\"other\\":1}]"])</script></body></html>',
    stored: {
      ticker: 'BITB',
      date: '2026-11-13',
      holdings_btc: 38_456.12345678,
      shares_outstanding: 70_560_000,
      aum_usd: 3_612_345_678.9,
    },
  },
  {
    source: 'invesco',
    path: '/cache/v1/accounts/en_US/shareclasses/46091J101',
    form: 'the interface behind the product pages of Invesco (fundDetails, priceListing), as public readers of it describe it; a date comes with or without its time',
    body: JSON.stringify({
      cusip: '46091J101',
      ticker: 'BTCO',
      effectiveDate: '2026-11-13',
      effectiveBusinessDate: '2026-11-13',
      units: 5_912.40012,
      shareclassTotalNetAssets: 555_432_101.5,
      sharesOutstanding: 5_965_000,
      nav: 93.1152,
    }),
    stored: {
      ticker: 'BTCO',
      date: '2026-11-13',
      holdings_btc: 5_912.40012,
      shares_outstanding: 5_965_000,
      nav_usd: 93.1152,
      aum_usd: 555_432_101.5,
    },
  },
  {
    source: 'vaneck',
    path: '/Main/HoldingsBlock/GetDataset/',
    form: "the data set of VanEck's holdings tables, as public readers of it describe it: amounts as text",
    body: JSON.stringify({
      AsOfDate: '2026-11-13T00:00:00',
      Holdings: [{ Label: '--', HoldingName: 'Bitcoin', Shares: '17,204', MV: '1,616,203,411.92', Weight: '100.00%' }],
    }),
    stored: { ticker: 'HODL', date: '2026-11-13', holdings_btc: 17_204, aum_usd: 1_616_203_411.92 },
  },
  {
    source: 'franklin',
    path: '/api/pds/price-and-performance',
    form: "the FundFact operation behind Franklin Templeton's product pages, as a public reader of it names the fields",
    body: JSON.stringify({
      data: {
        FundFact: [
          { elemnamestd: 'BITCOIN_IN_FUND', elemvalue: '5,731.2204', asofdatestd: '2026-11-13' },
          { elemnamestd: 'SHARES_OUTSTANDING', elemvalue: '10,050,000', asofdatestd: '2026-11-13' },
          { elemnamestd: 'TICKER', elemvalue: 'EZBC', asofdatestd: null },
        ],
      },
    }),
    stored: { ticker: 'EZBC', date: '2026-11-13', holdings_btc: 5_731.2204, shares_outstanding: 10_050_000 },
  },
  {
    source: 'morgan-stanley',
    path: '/im/json/imwebdata/data/product/EF/100761/chart/etfTradeDateHoldingsCurrent.json',
    form: "the file that the fund's page loads, as public readers of it name the fields",
    body: JSON.stringify({
      en: {
        effectiveDate: '11/13/2026',
        holdings: [
          { securityDescription: 'BITCOIN', quantity: '10,519.09657402', marketValueBase: '985,102,334.10' },
          { securityDescription: 'CASH', quantity: '1', marketValueBase: '1.00' },
        ],
      },
    }),
    stored: { ticker: 'MSBT', date: '2026-11-13', holdings_btc: 10_519.09657402 },
  },
]
