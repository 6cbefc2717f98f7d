import type { tables } from '#ingest/market/observations.ts'
import type { Answer } from './fake-server.ts'
import { zipped } from './fake-venues.ts'
import { recordedFunds } from './recorded-funds.ts'

/**
 * What a source answers, each in the exact form that its documentation shows or that others
 * recorded, with a few rows. Times are moved where the source would no longer, or not yet, tell of
 * those in its examples.
 */
export interface RecordedSource {
  readonly source: string
  /**
   * `documentation` of the source, a `recording` of its answer by others, or `readers`: those who
   * name its fields.
   */
  readonly checked: 'documentation' | 'recording' | 'readers'
  /** Origin of the form. */
  readonly form: string
  /** An instant soon after the answers, and the day from which it is fetched. */
  readonly now: string
  readonly since: string
  /**
   * Answers by path or the beginning of one, with what tells them apart of the query; by `type`
   * where that tells them apart.
   */
  readonly answers: Readonly<Record<string, unknown>>
  /** Response to all other requests. */
  readonly nothing: Answer
  /** Rows that must be stored, worked out by hand; there may be more. */
  readonly stored: readonly (readonly [kind: keyof typeof tables, row: Readonly<Record<string, unknown>>])[]
}

const at = (text: string): number => Date.parse(text)
const missing: Answer = { status: 404, body: '' }

const spot: readonly RecordedSource[] = [
  {
    source: 'bitstamp',
    checked: 'recording',
    form: 'github.com/ccxt/ccxt, ts/src/test/static/response/bitstamp.json (fetchOHLCV)',
    now: '2024-03-13T12:10:00Z',
    since: '2024-03-12',
    answers: {
      '/api/v2/ohlc/btcusd/?step=3600': {
        data: {
          pair: 'BTC/USD',
          ohlc: [
            {
              timestamp: '1710327600',
              open: '73241',
              high: '73293',
              low: '73240',
              close: '73285',
              volume: '0.01076655',
            },
          ],
        },
      },
    },
    nothing: { body: { data: { pair: 'BTC/USD', ohlc: [] } } },
    stored: [
      [
        'prices_hourly',
        {
          time: at('2024-03-13T11:00Z'),
          open: 73_241,
          high: 73_293,
          low: 73_240,
          close: 73_285,
          volume_btc: 0.01076655,
        },
      ],
    ],
  },
  {
    source: 'coinbase',
    checked: 'recording',
    form: 'github.com/ccxt/ccxt, ts/src/test/static/response/coinbaseexchange.json (fetchOHLCV); 300 a request by docs.cdp.coinbase.com, "Get product candles"',
    now: '2024-03-13T12:10:00Z',
    since: '2024-03-12',
    answers: {
      '/products/BTC-USD/candles?granularity=3600': [[1710327600, 73241.5, 73402.47, 73243.33, 73370.65, 1.56794406]],
    },
    nothing: { body: [] },
    stored: [
      [
        'prices_hourly',
        {
          time: at('2024-03-13T11:00Z'),
          low: 73_241.5,
          high: 73_402.47,
          open: 73_243.33,
          close: 73_370.65,
          volume_btc: 1.56794406,
        },
      ],
    ],
  },
  {
    source: 'kraken',
    checked: 'documentation',
    form: 'docs.kraken.com, "Get OHLC Data", as github.com/JKorf/Kraken.Net tests it (Kraken.Net.UnitTests/Endpoints/Spot/ExchangeData/GetKlines.txt); minutes there, hours here',
    now: '2023-07-06T20:10:00Z',
    since: '2023-07-05',
    answers: {
      '/0/public/OHLC?interval=60': {
        error: [],
        result: {
          XXBTZUSD: [
            [1688670000, '30306.1', '30306.2', '30305.7', '30305.7', '30306.0', '3.5', 23],
            // The running hour.
            [1688673600, '30304.5', '30304.5', '30300.0', '30300.0', '30300.0', '4.42996871', 18],
          ],
          last: 1688670000,
        },
      },
    },
    nothing: { body: { error: [], result: { XXBTZUSD: [], last: 1688670000 } } },
    stored: [
      ['prices_hourly', { time: at('2023-07-06T19:00Z'), close: 30_305.7, volume_btc: 3.5, volume_usd: 3.5 * 30_306 }],
    ],
  },
  {
    source: 'binance-spot',
    checked: 'documentation',
    form: 'github.com/binance/binance-spot-api-docs, rest-api.md, "Kline/Candlestick data", as github.com/JKorf/Binance.Net tests it (Binance.Net.UnitTests/Endpoints/Spot/ExchangeData/GetKlines.txt)',
    now: '2023-08-02T00:10:00Z',
    since: '2023-07-31',
    answers: {
      '/api/v3/klines?interval=1d': [
        [
          ...[1690848000000, '29232.25000000', '29739.48000000', '28585.70000000', '29705.99000000', '44049.90000000'],
          ...[1690934399999, '1279874651.13580000', 1134209, '20957.98300000', '609055437.61970000', '0'],
        ],
      ],
    },
    nothing: { body: [] },
    stored: [
      [
        'prices',
        {
          date: '2023-08-01',
          open: 29_232.25,
          high: 29_739.48,
          low: 28_585.7,
          close: 29_705.99,
          volume_btc: 44_049.9,
          volume_usd: 1_279_874_651.1358,
        },
      ],
    ],
  },
  {
    source: 'coin-metrics',
    checked: 'recording',
    form: 'github.com/monjurkuet/cryptoOS, cbbi/docs/API_COINMETRICS.md, the answer of a hundred days',
    now: '2026-02-01T03:00:00Z',
    since: '2026-01-30',
    answers: {
      '/v4/timeseries/asset-metrics': {
        data: [
          { asset: 'btc', time: '2026-01-30T00:00:00.000000000Z', PriceUSD: '84017.0340292227' },
          { asset: 'btc', time: '2026-01-31T00:00:00.000000000Z', PriceUSD: '78702.38550263' },
        ],
      },
    },
    nothing: { body: { data: [] } },
    stored: [
      ['prices', { date: '2026-01-30', close: 84_017.0340292227, volume_usd: null }],
      ['prices', { date: '2026-01-31', close: 78_702.38550263 }],
    ],
  },
  {
    source: 'blockchain-com',
    checked: 'documentation',
    form: 'blockchain.com/api/charts_api (transactions-per-second there), as its schema and copies of the page show it',
    now: '2019-04-07T10:00:00Z',
    since: '2019-04-05',
    answers: {
      '/charts/market-price': {
        status: 'ok',
        name: 'Market Price (USD)',
        unit: 'USD',
        period: 'day',
        description: 'Average price',
        values: [{ x: 1554595200, y: 5053.52 }],
      },
      '/charts/trade-volume': {
        status: 'ok',
        name: 'Exchange Trade Volume (USD)',
        unit: 'USD',
        period: 'day',
        description: 'Volume',
        values: [{ x: 1554508800, y: 210345678.25 }],
      },
    },
    nothing: missing,
    stored: [
      ['prices', { date: '2019-04-06', close: 5_053.52 }],
      ['market_volume', { date: '2019-04-06', volume_usd: 210_345_678.25 }],
    ],
  },
  {
    source: 'coindesk',
    checked: 'documentation',
    form: 'developers.coindesk.com, "Historical OHLCV+ - Day", as docs.rs/crate/ccdata-api (schemas/data_api/indices_and_reference_rates.rs) takes it over field by field',
    now: '2025-09-02T01:00:00Z',
    since: '2025-08-31',
    answers: {
      '/index/cc/v1/historical/days': {
        Data: [
          {
            UNIT: 'DAY',
            TIMESTAMP: 1756684800,
            TYPE: '267',
            MARKET: 'cadli',
            INSTRUMENT: 'BTC-USD',
            OPEN: 108236.5,
            HIGH: 109912.25,
            LOW: 107255.75,
            CLOSE: 109250.5,
            FIRST_MESSAGE_TIMESTAMP: 1756684800,
            LAST_MESSAGE_TIMESTAMP: 1756771199,
            TOTAL_INDEX_UPDATES: 863998,
            VOLUME: 91234.5,
            QUOTE_VOLUME: 9912345678.5,
            VOLUME_TOP_TIER: 60123.25,
          },
        ],
        Err: {},
      },
    },
    nothing: { body: { Data: [], Err: {} } },
    stored: [['prices', { date: '2025-09-01', open: 108_236.5, close: 109_250.5, volume_btc: 91_234.5 }]],
  },
]

const bybitTicker = (symbol: string, openInterest: string) => ({
  retCode: 0,
  retMsg: 'OK',
  result: {
    category: symbol === 'BTCUSD' ? 'inverse' : 'linear',
    list: [{ symbol, lastPrice: '120635.50', markPrice: '114898.43', openInterest, openInterestValue: '2089.79' }],
  },
  retExtInfo: {},
  time: 1780994051392,
})
const gateDay = {
  time: 1603756800,
  lsr_taker: 100,
  lsr_account: 0.5,
  long_liq_size: 0,
  short_liq_size: 0,
  open_interest: 124724,
  short_liq_usd: 0,
  mark_price: '8865',
  top_lsr_size: 1.02,
  short_liq_amount: 0,
  long_liq_amount: 0,
  open_interest_usd: 1511,
  top_lsr_account: 1.5,
  long_liq_usd: 0,
}
const gateTicker = (contract: string) => [{ contract, last: '6432', total_size: '32323904', mark_price: '6534' }]
const deribitSummary = (instrument: string, openInterest: number) => ({
  jsonrpc: '2.0',
  id: 3659,
  result: [
    {
      ...{
        volume_usd: 16396354,
        volume: 430.65,
        quote_currency: 'USD',
        price_change: 0.51,
        open_interest: openInterest,
      },
      mid_price: 8423.5,
      mark_price: 8422.9,
      low: 8200,
      last: 8422,
      instrument_name: instrument,
      high: 8500,
      funding_8h: -1.4e-5,
      current_funding: 0,
      creation_timestamp: 1569902700000,
      bid_price: 8423,
    },
  ],
})

const futures: readonly RecordedSource[] = [
  {
    source: 'binance',
    checked: 'documentation',
    form: 'developers.binance.com, USDⓈ-M futures, as github.com/JKorf/Binance.Net tests it (Binance.Net.UnitTests/Endpoints/UsdFutures/ExchangeData/GetFundingRates.txt, GetOpenInterestHistory.txt)',
    now: '2023-11-01T02:00:00Z',
    since: '2023-10-30',
    answers: {
      '/fapi/v1/fundingRate?symbol=BTCUSDT': [
        { symbol: 'BTCUSDT', fundingTime: 1698768000000, fundingRate: '0.00010000', markPrice: '34287.54619963' },
        { symbol: 'BTCUSDT', fundingTime: 1698796800000, fundingRate: '0.00010000', markPrice: '34651.40000000' },
      ],
      '/futures/data/openInterestHist?symbol=BTCUSDT': [
        {
          symbol: 'BTCUSDT',
          sumOpenInterest: '20403.63700000',
          sumOpenInterestValue: '150570784.07809979',
          timestamp: '1698796800000',
        },
      ],
      '/fapi/v1/openInterest': { openInterest: '10659.509', symbol: 'BTCUSDT', time: 1698803999000 },
    },
    nothing: { body: [] },
    stored: [
      ['funding', { instrument: 'BTCUSDT', time: at('2023-10-31T16:00Z'), rate: 0.0001 }],
      ['open_interest', { instrument: 'BTCUSDT', time: at('2023-11-01'), amount: 20_403.637, unit: 'btc' }],
      ['open_interest', { time: 1_698_803_999_000, amount: 10_659.509, source: 'binance-snapshots' }],
    ],
  },
  {
    source: 'binance-coin',
    checked: 'documentation',
    form: 'developers.binance.com, COIN-M futures, as github.com/JKorf/Binance.Net tests it (Binance.Net.UnitTests/Endpoints/CoinFutures/ExchangeData/)',
    now: '2023-11-01T02:00:00Z',
    since: '2023-10-30',
    answers: {
      '/dapi/v1/fundingRate': [
        { symbol: 'BTCUSD_PERP', fundingTime: 1698768000000, fundingRate: '-0.00300000', markPrice: '34651.40000000' },
      ],
      '/futures/data/openInterestHist?pair=BTCUSD&contractType=PERPETUAL': [
        {
          pair: 'BTCUSD',
          contractType: 'PERPETUAL',
          sumOpenInterest: '20403',
          sumOpenInterestValue: '59.12345678',
          timestamp: 1698796800000,
        },
      ],
      '/dapi/v1/openInterest': {
        symbol: 'BTCUSD_PERP',
        pair: 'BTCUSD',
        openInterest: '15004',
        contractType: 'PERPETUAL',
        time: 1698803999000,
      },
    },
    nothing: { body: [] },
    stored: [
      ['funding', { instrument: 'BTCUSD_PERP', time: at('2023-10-31T16:00Z'), rate: -0.003 }],
      // Contracts of 100 USD.
      ['open_interest', { time: at('2023-11-01'), amount: 2_040_300, unit: 'usd' }],
      ['open_interest', { time: 1_698_803_999_000, amount: 1_500_400, unit: 'usd' }],
    ],
  },
  {
    source: 'binance-archive',
    checked: 'recording',
    form: 'a day of BTCUSDT-metrics at data.binance.vision, rows of 2025-10-07 as tests of public importers of these files keep them',
    now: '2025-10-08T02:00:00Z',
    since: '2025-10-07',
    answers: {
      '/data/futures/um/daily/metrics/BTCUSDT/BTCUSDT-metrics-2025-10-07.zip': zipped(
        'BTCUSDT-metrics-2025-10-07.csv',
        [
          'create_time,symbol,sum_open_interest,sum_open_interest_value,count_toptrader_long_short_ratio,' +
            'sum_toptrader_long_short_ratio,count_long_short_ratio,sum_taker_long_short_vol_ratio',
          '2025-10-07 00:00:00,BTCUSDT,100243.058,12494186585.40,0.69,1.82,0.56,1.15',
          '2025-10-07 23:55:00,BTCUSDT,100180.792,12491937936.12,0.69,1.81,0.56,1.97',
        ].join('\n'),
      ),
    },
    nothing: missing,
    stored: [['open_interest', { time: at('2025-10-07T23:55Z'), amount: 100_180.792, unit: 'btc' }]],
  },
  {
    source: 'bybit',
    checked: 'documentation',
    form: 'github.com/bybit-exchange/docs, docs/v5/market/{history-fund-rate,open-interest,tickers}.mdx of 2026-07-24',
    now: '2026-06-09T08:40:00Z',
    since: '2026-06-07',
    answers: {
      '/v5/market/funding/history?symbol=BTCUSD': {
        retCode: 0,
        retMsg: 'OK',
        retExtInfo: {},
        time: 1780994051392,
        result: {
          category: 'inverse',
          list: [{ symbol: 'BTCUSD', fundingRate: '0.0001', fundingRateTimestamp: '1780963200000' }],
        },
      },
      '/v5/market/open-interest?symbol=BTCUSD&intervalTime=1d': {
        retCode: 0,
        retMsg: 'OK',
        retExtInfo: {},
        time: 1780994051392,
        result: {
          symbol: 'BTCUSD',
          category: 'inverse',
          list: [
            { openInterest: '63910691.00000000', singleOpenInterest: '31955346', timestamp: '1780963200000' },
            { openInterest: '63910691.00000000', singleOpenInterest: '31955346', timestamp: '1780876800000' },
          ],
          nextPageCursor: 'lastid%3D19408935%26lasttime%3D1780617600',
        },
      },
      '/v5/market/tickers?symbol=BTCUSD': bybitTicker('BTCUSD', '240113967'),
      '/v5/market/tickers?symbol=BTCUSDT': bybitTicker('BTCUSDT', '58000.5'),
      '/v5/market/tickers?symbol=BTCPERP': bybitTicker('BTCPERP', '1200.25'),
    },
    nothing: { body: { retCode: 0, retMsg: 'OK', result: { category: 'linear', list: [] }, time: 1780994051392 } },
    stored: [
      ['funding', { instrument: 'BTCUSD', time: at('2026-06-09'), rate: 0.0001 }],
      ['open_interest', { instrument: 'BTCUSD', time: at('2026-06-08'), amount: 31_955_346, unit: 'usd' }],
      // Without the one-sided count, half of both sides.
      ['open_interest', { instrument: 'BTCUSD', time: 1_780_994_051_392, amount: 120_056_983.5, unit: 'usd' }],
      ['open_interest', { instrument: 'BTCUSDT', time: 1_780_994_051_392, amount: 29_000.25, unit: 'btc' }],
    ],
  },
  {
    source: 'okx',
    checked: 'documentation',
    form: 'okx.com/docs-v5, as github.com/JKorf/OKX.Net tests it (OKX.Net.UnitTests/Endpoints/UnifiedApi/ExchangeData/GetFundingRateHistory.txt, GetOpenInterests.txt) and github.com/rosssaunders/coincise copies it (docs/okx/trading_statistics.md)',
    now: '2024-12-20T10:10:00Z',
    since: '2024-12-18',
    answers: {
      '/api/v5/public/funding-rate-history?instId=BTC-USD-SWAP': {
        code: '0',
        msg: '',
        data: [
          {
            fundingRate: '0.0000746604960499',
            fundingTime: '1734681600000',
            instId: 'BTC-USD-SWAP',
            instType: 'SWAP',
            method: 'next_period',
            realizedRate: '0.0000746572360545',
          },
          {
            fundingRate: '0.000227985782722',
            fundingTime: '1734652800000',
            instId: 'BTC-USD-SWAP',
            instType: 'SWAP',
            method: 'next_period',
            realizedRate: '0.0002279755647389',
          },
        ],
      },
      '/api/v5/rubik/stat/contracts/open-interest-history?instId=BTC-USDT-SWAP&period=1Dutc': {
        code: '0',
        msg: '',
        data: [['1734566400000', '2764513.55', '27645.1355', '2701234567.89']],
      },
      '/api/v5/public/open-interest': {
        code: '0',
        msg: '',
        data: [
          {
            instType: 'SWAP',
            instId: 'BTC-USDT-SWAP',
            oi: '5000',
            oiCcy: '555.55',
            oiUsd: '54321098.7',
            ts: '1734689383085',
          },
        ],
      },
    },
    nothing: { body: { code: '0', msg: '', data: [] } },
    stored: [
      ['funding', { instrument: 'BTC-USD-SWAP', time: at('2024-12-20T08:00Z'), rate: 0.0000746572360545 }],
      // A bar is named by its opening, and known at its end.
      ['open_interest', { instrument: 'BTC-USDT-SWAP', time: at('2024-12-20'), amount: 27_645.1355, unit: 'btc' }],
      ['open_interest', { instrument: 'BTC-USDT-SWAP', time: 1_734_689_383_085, amount: 555.55, unit: 'btc' }],
      ['open_interest', { instrument: 'BTC-USD-SWAP', time: 1_734_689_383_085, amount: 54_321_098.7, unit: 'usd' }],
    ],
  },
  {
    source: 'bitget',
    checked: 'documentation',
    form: 'bitget.com/api-doc, v2 mix market, as github.com/JKorf/Bitget.Net tests it (Bitget.Net.UnitTests/Endpoints/Futures/ExchangeData/GetHistoricalFundingRate.txt, GetOpenInterest.txt)',
    now: '2023-09-27T06:40:00Z',
    since: '2023-09-25',
    answers: {
      '/api/v2/mix/market/history-fund-rate?symbol=BTCUSDT': {
        code: '00000',
        msg: 'success',
        requestTime: 1695796546319,
        data: [
          { symbol: 'BTCUSDT', fundingRate: '0.0005', fundingTime: '1695776400000' },
          { symbol: 'BTCUSDT', fundingRate: '0.000013', fundingTime: '1695715200000' },
        ],
      },
      '/api/v2/mix/market/open-interest': {
        code: '00000',
        msg: 'success',
        requestTime: 1695796780343,
        data: { openInterestList: [{ symbol: 'BTCUSDT', size: '34278.06' }], ts: '1695796781616' },
      },
    },
    nothing: { body: { code: '00000', msg: 'success', requestTime: 1695796546319, data: [] } },
    stored: [
      ['funding', { instrument: 'BTCUSDT', time: at('2023-09-27T01:00Z'), rate: 0.0005 }],
      ['funding', { instrument: 'BTCUSDT', time: at('2023-09-26T08:00Z'), rate: 0.000013 }],
      ['open_interest', { instrument: 'BTCUSDT', time: 1_695_796_781_616, amount: 34_278.06, unit: 'btc' }],
    ],
  },
  {
    source: 'gate',
    checked: 'documentation',
    form: 'gate.com/docs/developers/apiv4, as github.com/JKorf/GateIo.Net tests it (GateIo.Net.UnitTests/Endpoints/PerpetualFutures/ExchangeData/GetFundingRateHistory.txt, GetContractStats.txt, GetTickers.txt)',
    now: '2020-10-28T09:00:00Z',
    since: '2020-10-26',
    answers: {
      '/api/v4/futures/usdt/funding_rate': [{ t: 1603872000, r: '0.000157' }],
      '/api/v4/futures/usdt/contract_stats': [gateDay],
      '/api/v4/futures/btc/contract_stats': [gateDay],
      '/api/v4/futures/usdt/tickers': gateTicker('BTC_USDT'),
      '/api/v4/futures/btc/tickers': gateTicker('BTC_USD'),
    },
    nothing: { body: [] },
    stored: [
      ['funding', { instrument: 'BTC_USDT', time: at('2020-10-28T08:00Z'), rate: 0.000157 }],
      // Contracts of a ten-thousandth of a bitcoin, and of a dollar.
      ['open_interest', { instrument: 'BTC_USDT', time: at('2020-10-28'), amount: 124_724 * 0.0001, unit: 'btc' }],
      ['open_interest', { instrument: 'BTC_USD', time: at('2020-10-28'), amount: 124_724, unit: 'usd' }],
      ['open_interest', { instrument: 'BTC_USD', source: 'gate-snapshots', amount: 32_323_904, unit: 'usd' }],
    ],
  },
  {
    source: 'deribit',
    checked: 'documentation',
    form: 'docs.deribit.com, public/get_funding_rate_history and public/get_book_summary_by_instrument',
    now: '2019-10-01T04:10:00Z',
    since: '2019-09-30',
    answers: {
      '/api/v2/public/get_funding_rate_history?instrument_name=BTC-PERPETUAL': {
        jsonrpc: '2.0',
        id: 7617,
        result: [
          {
            timestamp: 1569891600000,
            index_price: 8222.87,
            prev_index_price: 8305.72,
            interest_8h: -0.00009234260068476106,
            interest_1h: -4.739622041017375e-7,
          },
          {
            timestamp: 1569902400000,
            index_price: 8422.36,
            prev_index_price: 8431.97,
            interest_8h: -0.00001404147515584998,
            interest_1h: 8.312033064379086e-7,
          },
        ],
      },
      '/api/v2/public/get_book_summary_by_instrument?instrument_name=BTC-PERPETUAL': deribitSummary(
        'BTC-PERPETUAL',
        502_097_590,
      ),
      '/api/v2/public/get_book_summary_by_instrument?instrument_name=BTC_USDC-PERPETUAL': deribitSummary(
        'BTC_USDC-PERPETUAL',
        1_042.5,
      ),
    },
    nothing: { body: { jsonrpc: '2.0', id: 7617, result: [] } },
    stored: [
      // The rate of the hour, not of the eight hours before.
      ['funding', { time: at('2019-10-01T01:00Z'), rate: -4.739622041017375e-7, interval_hours: 1 }],
      ['open_interest', { instrument: 'BTC-PERPETUAL', time: 1_569_902_700_000, amount: 502_097_590, unit: 'usd' }],
      ['open_interest', { instrument: 'BTC_USDC-PERPETUAL', amount: 1_042.5, unit: 'btc' }],
    ],
  },
  {
    source: 'hyperliquid',
    checked: 'recording',
    form: 'github.com/hyperliquid-dex/hyperliquid-python-sdk, tests/cassettes/info_test/test_get_funding_history[1684811870000].yaml; metaAndAssetCtxs by its documentation',
    now: '2023-05-13T01:00:00Z',
    since: '2023-05-12',
    answers: {
      fundingHistory: [
        { coin: 'BTC', fundingRate: '-0.00061334', premium: '-0.00091334', time: 1683849600048 },
        { coin: 'BTC', fundingRate: '-0.00074503', premium: '-0.00104503', time: 1683878400388 },
        { coin: 'BTC', fundingRate: '-0.00081798', premium: '-0.00111798', time: 1683907200253 },
        { coin: 'BTC', fundingRate: '-0.00044036', premium: '-0.00074036', time: 1683936000278 },
      ],
      metaAndAssetCtxs: [
        {
          universe: [
            { name: 'ETH', szDecimals: 4, maxLeverage: 50 },
            { name: 'BTC', szDecimals: 5, maxLeverage: 50 },
          ],
        },
        [
          { dayNtlVlm: '1426126.295175', funding: '0.0000125', markPx: '6.0436', openInterest: '1882.55' },
          { dayNtlVlm: '1169046.29406', funding: '0.0000125', markPx: '14.3161', openInterest: '688.11' },
        ],
      ],
    },
    nothing: { body: [] },
    stored: [
      ['funding', { instrument: 'BTC', time: 1_683_849_600_048, rate: -0.00061334 }],
      ['funding', { instrument: 'BTC', time: 1_683_936_000_278, rate: -0.00044036 }],
      ['open_interest', { instrument: 'BTC', amount: 688.11, unit: 'btc', source: 'hyperliquid-snapshots' }],
    ],
  },
]

const fundsAndHolders: readonly RecordedSource[] = [
  {
    source: 'ishares',
    checked: 'recording',
    form: 'IBIT_holdings.csv of 2026-05-13 at ishares.com, as public readers of it keep it',
    now: '2026-05-14T06:00:00Z',
    since: '2026-05-13',
    answers: {
      '/us/products/333011/fund/1467271812596.ajax?asOfDate=20260513': Buffer.from(
        [
          '\uFEFFiShares Bitcoin Trust ETF',
          'Fund Holdings as of,"May 13, 2026"',
          'Inception Date,"Jan 05, 2024"',
          'Shares Outstanding,"1,448,200,000.00"',
          'Stock,"-"',
          '\u00a0',
          'Ticker,Name,Sector,Asset Class,Market Value,Weight (%),Notional Value,Quantity,Market Currency,Accrual Date',
          '"BTC","BITCOIN","-","Alternative","64,395,006,345.83","100.00","64,395,006,345.83","817,092.85700","BTC","-"',
        ].join('\n'),
      ),
    },
    nothing: missing,
    stored: [
      ['etf', { ticker: 'IBIT', date: '2026-05-13', holdings_btc: 817_092.857, shares_outstanding: 1_448_200_000 }],
    ],
  },
  ...recordedFunds.map(({ source, path, form, body, stored }): RecordedSource => {
    const answers = { [path]: Buffer.from(body) }
    const checked = source === 'ark' ? 'recording' : 'readers'
    const when = { now: '2026-11-17T10:00:00Z', since: '2026-11-01' }
    return { source, checked, form, ...when, answers, nothing: missing, stored: [['etf', stored]] }
  }),
  {
    source: 'sosovalue',
    checked: 'readers',
    form: 'the rows of /openapi/v1/etfs/{ticker}/history as public readers of it name and fall back on them',
    now: '2026-09-05T10:00:00Z',
    since: '2026-09-01',
    answers: {
      '/openapi/v1/etfs/IBIT/history': {
        code: 0,
        message: 'success',
        data: [
          {
            date: '2026-09-03',
            ticker: 'IBIT',
            net_inflow: 11000000,
            cum_inflow: 400000000,
            net_assets: 5000000000,
            currency_share: 0.005,
            prem_dsc: -0.0001,
            value_traded: 4441000000,
            volume: 322302,
          },
        ],
      },
    },
    nothing: { body: { code: 0, message: 'success', data: [] } },
    stored: [['etf', { ticker: 'IBIT', date: '2026-09-03', flow_usd: 11e6, aum_usd: 5e9, premium: -0.0001 }]],
  },
  {
    source: 'coingecko',
    checked: 'documentation',
    form: 'docs.coingecko.com/demo/reference/public-treasury-transaction-history and /entities-list',
    now: '2026-05-20T10:00:00Z',
    since: '2026-05-01',
    answers: {
      '/api/v3/entities/list?entity_type=company': [
        { id: 'strategy', symbol: 'MSTR.US', name: 'Strategy', country: 'US' },
        { id: 'digipowerx', symbol: 'DGX.V', name: 'DigiPowerX', country: 'US' },
      ],
      '/api/v3/entities/list?entity_type=government': [{ id: 'texas', symbol: '', name: 'Texas', country: 'US' }],
      '/api/v3/public_treasury/strategy/transaction_history': {
        transactions: [
          {
            date: 1778457600000,
            source_url: 'https://example.org/form-8-k_05-11-2026.pdf',
            coin_id: 'bitcoin',
            type: 'buy',
            holding_net_change: 535,
            transaction_value_usd: 42981900,
            holding_balance: 818869,
            average_entry_value_usd: 80340,
          },
          {
            date: 1779062400000,
            source_url: 'https://example.org/form-8-k_05-18-2026.pdf',
            coin_id: 'bitcoin',
            type: 'buy',
            holding_net_change: 24869,
            transaction_value_usd: 2014015965,
            holding_balance: 843738,
            average_entry_value_usd: 80985,
          },
        ],
      },
    },
    nothing: { body: { transactions: [] } },
    stored: [
      ['treasuries', { entity_id: 1, date: '2026-05-11', holdings_btc: 818_869, change_btc: 535 }],
      ['treasuries', { entity_id: 1, date: '2026-05-18', holdings_btc: 843_738, change_btc: 24_869 }],
    ],
  },
]

export const recordedSources: readonly RecordedSource[] = [...spot, ...futures, ...fundsAndHolders]
