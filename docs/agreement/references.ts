import type { Reference } from './reference.ts'

const bands = ['24h', '1d_1w', '1w_1m', '1m_3m', '3m_6m', '6m_12m', '1y_2y', '2y_3y', '3y_5y', '5y_7y', '7y_10y']
const ribbonDays = [9, 14, 25, 40, 60, 90, 128, 200]
const unclaimed = 'Equal but for days of 2012 and 2013 on which miners claimed less than subsidy and fees.'
const eightDecimals = 'Theirs has eight decimals.'
const firstCoins = 'Glassnode values the coins from before the first price at that price, here they cost nothing.'

/** Every extract in test/references, and the metrics that can be evaluated on it. */
export const references: readonly Reference[] = [
  {
    file: 'glassnode-caps',
    vendor: 'Glassnode',
    given: { price: 'market_cap', supply_sats: '100000000 * (market_cap > 0)', realized_cap: 'realized_cap' },
    compared: [
      {
        metric: 'mvrv_z',
        theirs: 'mvrv_z_score',
        reason: 'Glassnode counts the days before the first price in the deviation, see mvrv_z_glassnode.',
      },
      {
        metric: 'mvrv_z_glassnode',
        theirs: 'mvrv_z_score',
        reason:
          'Which days enter their deviation is not published; no number of days at 0 brings it to less than 1.5 %.',
      },
    ],
  },
  {
    file: 'glassnode-days',
    vendor: 'Glassnode',
    given: { price: 'price_close', high: 'price_high' },
    compared: [
      { metric: 'drawdown_from_high', theirs: 'drawdown_relative' },
      {
        metric: 'drawdown',
        theirs: 'drawdown_relative',
        reason: 'Measured from the highest close, theirs from the highest price within a day, as drawdown_from_high.',
      },
    ],
  },
  {
    file: 'glassnode-days',
    vendor: 'Glassnode',
    given: {
      price: 'market_cap / supply',
      supply_sats: 'supply * 100000000',
      issuance_sats: 'issuance * 100000000',
      // Their supply on the day before the first price, and what was issued since.
      issued_supply: '3430350 + cumsum(issuance * (market_cap > 0))',
      difficulty: 'difficulty',
      work: 'hash_rate * 86400',
      spent_volume: 'transfer_volume_adjusted',
    },
    compared: [
      {
        metric: 'puell_multiple',
        theirs: 'puell_multiple',
        reason: 'The issuance in USD that theirs is made of is not published.',
      },
      { metric: 'nvt_signal', theirs: 'nvts' },
      { metric: 'thermo_cap', theirs: 'thermocap', reason: firstCoins },
      { metric: 'thermo_cap_glassnode', theirs: 'thermocap', reason: unclaimed },
      { metric: 'mc_tc_ratio_glassnode', theirs: 'marketcap_thermocap_ratio', reason: unclaimed },
      { metric: 'hash_rate_30d', theirs: 'hash_rate_ma30' },
      { metric: 'hash_rate_60d', theirs: 'hash_rate_ma60' },
      { metric: 'hash_ribbon', theirs: 'hash_rate_ma30 / hash_rate_ma60' },
      ...ribbonDays.map((days) => ({ metric: `difficulty_sma_${days}`, theirs: `ribbon_ma${days}` })),
      { metric: 'difficulty_ribbon_compression', theirs: 'ribbon_compression' },
      {
        metric: 'stock_to_flow_price',
        theirs: 'stock_to_flow_price',
        reason: 'Another fit: theirs is near exp(−2.4) · SF^3.48, here it is the first published one.',
      },
    ],
  },
  {
    file: 'glassnode-months',
    vendor: 'Glassnode',
    given: {
      price: 'market_cap / supply',
      supply_sats: 'supply * 100000000',
      realized_cap: 'realized_cap',
      unrealized_profit: 'relative_unrealized_profit * market_cap',
      unrealized_loss: 'relative_unrealized_loss * market_cap',
      issuance_sats: 'issuance * 100000000',
      fees_sats: 'fees * 100000000',
      tx_count_with_coinbase: 'transactions + blocks',
      blocks_mined: 'blocks',
      spent_volume: 'transfer_volume_adjusted',
      coindays_destroyed: 'cdd',
      liveliness: 'liveliness',
      ...Object.fromEntries(bands.map((band) => [`supply_${band}`, `supply_share_${band} * supply`])),
      supply_10y_plus: 'supply_share_more_10y * supply',
      ...Object.fromEntries(bands.map((band) => [`realized_cap_${band}`, `realized_cap_share_${band} * realized_cap`])),
      supply_over_1y: `(${bands
        .slice(6)
        .map((band) => `supply_share_${band}`)
        .join(' + ')} + supply_share_more_10y) * supply`,
      supply_over_3y:
        '(supply_share_3y_5y + supply_share_5y_7y + supply_share_7y_10y + supply_share_more_10y) * supply',
    },
    compared: [
      { metric: 'realized_price', theirs: 'realized_price' },
      { metric: 'mvrv', theirs: 'mvrv' },
      { metric: 'nupl', theirs: 'nupl' },
      { metric: 'unrealized_pl', theirs: 'nupl * market_cap' },
      { metric: 'nvt', theirs: 'nvt' },
      { metric: 'inflation_rate_glassnode', theirs: 'inflation_rate' },
      {
        metric: 'inflation_rate_annualized',
        theirs: 'inflation_rate',
        reason: 'Theirs compounds the growth of the day, see inflation_rate_glassnode.',
      },
      { metric: 'miner_revenue', theirs: 'miner_revenue', reason: unclaimed },
      { metric: 'fees_percent', theirs: '100 * miner_revenue_from_fees', reason: unclaimed },
      { metric: 'fee_ratio_multiple', theirs: '1 / miner_revenue_from_fees', reason: unclaimed },
      { metric: 'fee_mean', theirs: 'fees_mean' },
      { metric: 'tx_per_second', theirs: 'transactions_rate' },
      {
        metric: 'block_interval',
        theirs: 'block_interval_mean',
        reason: 'Theirs is the mean time between the headers of the day, here it is the day over its blocks.',
      },
      { metric: 'velocity_glassnode', theirs: 'velocity' },
      { metric: 'dormancy', theirs: 'dormancy' },
      { metric: 'supply_adjusted_cdd', theirs: 'supply_adjusted_cdd' },
      { metric: 'supply_adjusted_dormancy', theirs: 'supply_adjusted_dormancy' },
      { metric: 'vaulted_supply', theirs: 'hodled_or_lost' },
      { metric: 'vaultedness', theirs: 'hodled_or_lost / supply' },
      { metric: 'active_supply', theirs: 'supply - hodled_or_lost' },
      { metric: 'supply_percent_over_1y', theirs: '100 * active_more_1y' },
      { metric: 'supply_percent_over_3y', theirs: '100 * active_more_3y' },
      { metric: 'rhodl_ratio', theirs: 'rhodl_ratio' },
    ],
  },
  {
    file: 'coin-metrics-days',
    vendor: 'Coin Metrics',
    given: { price: 'priceusd', spent_volume: 'txtfrvaladjusd / priceusd', market_cap: 'capmrktcurusd' },
    compared: [
      { metric: 'return_30d', theirs: 'roi30d / 100' },
      { metric: 'return_365d', theirs: 'roi1yr / 100' },
      { metric: 'realized_vol_1m_coin_metrics', theirs: 'vtydayret30d' },
      {
        metric: 'realized_vol_1m',
        theirs: '100 * vtydayret30d',
        reason: 'Theirs is by the day, here it is scaled to a year (× √365).',
      },
      { metric: 'realized_vol_6m_coin_metrics', theirs: 'vtydayret180d' },
      {
        metric: 'realized_vol_6m',
        theirs: '100 * vtydayret180d',
        reason: 'Theirs is by the day, here it is scaled to a year (× √365).',
      },
    ],
  },
  {
    file: 'coin-metrics-months',
    vendor: 'Coin Metrics',
    given: {
      price: 'priceusd',
      supply_sats: 'splycur * 100000000',
      realized_cap: 'caprealusd',
      unrealized_profit: 'capmrktcurusd - caprealusd',
      unrealized_loss: '0',
      issuance_sats: 'isscontntv * 100000000',
      fees_sats: 'feetotntv * 100000000',
      fee_median: 'feemedntv',
      tx_count_with_coinbase: 'txcnt + blkcnt',
      blocks_mined: 'blkcnt',
      size: 'blksizebyte',
      spent_volume: 'txtfrvaladjntv',
    },
    compared: [
      { metric: 'market_cap', theirs: 'capmrktcurusd' },
      { metric: 'mvrv', theirs: 'capmvrvcur', reason: eightDecimals },
      { metric: 'nupl', theirs: '1 - 1 / capmvrvcur', reason: eightDecimals },
      { metric: 'nvt', theirs: 'nvtadj' },
      { metric: 'transfer_volume_usd', theirs: 'txtfrvaladjusd' },
      { metric: 'issuance_usd', theirs: 'isscontusd' },
      {
        metric: 'inflation_rate_annualized',
        theirs: 'isscontpctann / 100',
        reason: 'Equal but for days of 2019 whose supply the vendor corrected later.',
      },
      { metric: 'fees_usd', theirs: 'feetotusd' },
      { metric: 'fee_mean', theirs: 'feemeanntv' },
      { metric: 'fee_mean_usd', theirs: 'feemeanusd' },
      { metric: 'fee_median_usd', theirs: 'feemedusd' },
      { metric: 'block_size_mean', theirs: 'blksizemeanbyte' },
    ],
  },
  {
    file: 'checkonchain-months',
    vendor: 'CheckOnChain',
    given: {
      price: 'priceusd',
      supply_sats: 'splycur * 100000000',
      realized_cap: 'caprealusd',
      issuance_sats: 'dailyissuedntv * 100000000',
      fees_sats: 'feetotntv * 100000000',
      spent_volume: 'txtfrvaladjntv',
    },
    compared: [
      { metric: 'market_cap', theirs: 'capmrktcurusd' },
      { metric: 'realized_price', theirs: 'pricerealusd' },
      { metric: 'issuance_usd', theirs: 'dailyissuedusd' },
      { metric: 'fees_usd', theirs: 'feetotusd' },
      { metric: 'transfer_volume_usd', theirs: 'txtfrvaladjusd' },
      { metric: 'inflation_rate_annualized', theirs: 'inf_pct_ann' },
      { metric: 'stock_to_flow_checkonchain', theirs: 's2f' },
    ],
  },
  {
    file: 'woobull-days',
    vendor: 'Woobull',
    given: {
      price: 'price',
      supply_sats: 'supply * 100000000',
      realized_cap: 'realized_price * supply',
      coindays_destroyed: 'value_days_destroyed / price',
    },
    compared: [
      { metric: 'average_cap', theirs: 'average_price * supply' },
      { metric: 'delta_cap', theirs: 'delta_price * supply' },
      { metric: 'top_cap', theirs: 'top_price * supply' },
      { metric: 'average_price', theirs: 'average_price' },
      { metric: 'delta_price', theirs: 'delta_price' },
      { metric: 'top_price', theirs: 'top_price' },
      { metric: 'cvdd', theirs: 'cvdd' },
      { metric: 'transferred_price', theirs: 'transferred_price' },
      { metric: 'balanced_price', theirs: 'balanced_price' },
    ],
  },
]
