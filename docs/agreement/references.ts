import type { Reference } from './comparison.ts'

const bands = ['24h', '1d_1w', '1w_1m', '1m_3m', '3m_6m', '6m_12m', '1y_2y', '2y_3y', '3y_5y', '5y_7y', '7y_10y']
const ribbonDays = [9, 14, 25, 40, 60, 90, 128, 200]
const unclaimed = 'Equal but for days of 2012 and 2013 on which miners claimed less than subsidy and fees.'
const eightDecimals = 'Theirs has eight decimals.'
const firstCoins = 'Glassnode values the coins from before the first price at that price, here they cost nothing.'

/** The extracts in test/references, and the metrics that can be evaluated on each. */
export const references: readonly Reference[] = [
  {
    file: 'glassnode-caps',
    vendor: 'Glassnode',
    given: { price: 'market_cap', supply_sats: '100000000 * (market_cap > 0)', realized_cap: 'realized_cap' },
    compared: {
      mvrv_z: [
        'mvrv_z_score',
        'Glassnode counts the days before the first price in the deviation, see mvrv_z_glassnode.',
      ],
      mvrv_z_glassnode: [
        'mvrv_z_score',
        'Which days enter their deviation is not published; no number of days at 0 brings it to less than 1.5 %.',
      ],
    },
  },
  {
    file: 'glassnode-days',
    vendor: 'Glassnode',
    given: { price: 'price_close', high: 'price_high' },
    compared: {
      drawdown_from_high: 'drawdown_relative',
      drawdown: [
        'drawdown_relative',
        'Measured from the highest close, theirs from the highest price within a day, as drawdown_from_high.',
      ],
    },
  },
  {
    file: 'glassnode-days',
    vendor: 'Glassnode',
    given: {
      price: 'market_cap / supply',
      supply_sats: 'supply * 100000000',
      issuance_sats: 'issuance * 100000000',
      // Their supply on the day before the first price plus later issuance.
      issued_supply: '3430350 + cumsum(issuance * (market_cap > 0))',
      difficulty: 'difficulty',
      work: 'hash_rate * 86400',
      adjusted_sats: 'transfer_volume_adjusted * 100000000',
    },
    compared: {
      puell_multiple: ['puell_multiple', 'The issuance in USD that theirs is made of is not published.'],
      nvt_signal_adjusted: 'nvts',
      thermo_cap: ['thermocap', firstCoins],
      thermo_cap_glassnode: ['thermocap', unclaimed],
      mc_tc_ratio_glassnode: ['marketcap_thermocap_ratio', unclaimed],
      hash_rate_30d: 'hash_rate_ma30',
      hash_rate_60d: 'hash_rate_ma60',
      hash_ribbon: 'hash_rate_ma30 / hash_rate_ma60',
      ...Object.fromEntries(ribbonDays.map((days) => [`difficulty_sma_${days}`, `ribbon_ma${days}`])),
      difficulty_ribbon_compression: 'ribbon_compression',
      stock_to_flow_price: [
        'stock_to_flow_price',
        'Another fit: theirs is near exp(−2.4) · SF^3.48, here it is the first published one.',
      ],
    },
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
      adjusted_sats: 'transfer_volume_adjusted * 100000000',
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
    compared: {
      realized_price: 'realized_price',
      mvrv: 'mvrv',
      unrealized_pl: 'nupl * market_cap',
      nvt_adjusted: 'nvt',
      inflation_rate_glassnode: 'inflation_rate',
      inflation_rate_annualized: [
        'inflation_rate',
        'Theirs compounds the growth of the day, see inflation_rate_glassnode.',
      ],
      miner_revenue: ['miner_revenue', unclaimed],
      fees_percent: ['100 * miner_revenue_from_fees', unclaimed],
      fee_ratio_multiple: ['1 / miner_revenue_from_fees', unclaimed],
      fee_mean: 'fees_mean',
      tx_per_second: 'transactions_rate',
      block_interval: [
        'block_interval_mean',
        'Theirs is the mean time between the headers of the day, here it is the day over its blocks.',
      ],
      dormancy: 'dormancy',
      supply_adjusted_cdd: 'supply_adjusted_cdd',
      vaulted_supply: 'hodled_or_lost',
      vaultedness: 'hodled_or_lost / supply',
      active_supply: 'supply - hodled_or_lost',
      supply_percent_over_1y: '100 * active_more_1y',
      supply_percent_over_3y: '100 * active_more_3y',
      rhodl_ratio: 'rhodl_ratio',
    },
  },
  {
    file: 'glassnode-2021-months',
    vendor: 'Glassnode',
    given: {
      price: '1',
      supply_sats: '100000000 * cdd / supply_adjusted_cdd',
      coindays_destroyed: 'cdd',
      spent_volume: 'cdd / dormancy',
      unrealized_profit: 'relative_unrealized_profit * cdd / supply_adjusted_cdd',
      unrealized_loss: 'relative_unrealized_loss * cdd / supply_adjusted_cdd',
    },
    compared: { nupl: 'nupl', velocity_glassnode: 'velocity', supply_adjusted_dormancy: 'supply_adjusted_dormancy' },
  },
  {
    file: 'cryptoquant-months',
    vendor: 'CryptoQuant',
    given: {
      price: 'mvrv',
      supply_sats: '100000000',
      realized_cap: '1',
      unrealized_profit: 'mvrv - 1',
      unrealized_loss: '0',
    },
    compared: { nupl: ['nupl', eightDecimals] },
  },
  {
    file: 'coin-metrics-days',
    vendor: 'Coin Metrics',
    given: { price: 'priceusd', spent_volume: 'txtfrvaladjusd / priceusd', market_cap: 'capmrktcurusd' },
    compared: {
      return_30d: 'roi30d / 100',
      return_365d: 'roi1yr / 100',
      realized_vol_1m_coin_metrics: 'vtydayret30d',
      realized_vol_1m: ['100 * vtydayret30d', 'Theirs is by the day, here it is scaled to a year (× √365).'],
      realized_vol_6m_coin_metrics: 'vtydayret180d',
      realized_vol_6m: ['100 * vtydayret180d', 'Theirs is by the day, here it is scaled to a year (× √365).'],
    },
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
      adjusted_sats: 'txtfrvaladjntv * 100000000',
    },
    compared: {
      market_cap: 'capmrktcurusd',
      mvrv: ['capmvrvcur', eightDecimals],
      nupl: ['1 - 1 / capmvrvcur', eightDecimals],
      nvt_adjusted: 'nvtadj',
      transfer_volume_usd: 'txtfrvaladjusd',
      issuance_usd: 'isscontusd',
      inflation_rate_annualized: [
        'isscontpctann / 100',
        'Equal but for days of 2019 whose supply the vendor corrected later.',
      ],
      fees_usd: 'feetotusd',
      fee_mean: 'feemeanntv',
      fee_mean_usd: 'feemeanusd',
      fee_median_usd: 'feemedusd',
      block_size_mean: 'blksizemeanbyte',
    },
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
    compared: {
      market_cap: 'capmrktcurusd',
      realized_price: 'pricerealusd',
      issuance_usd: 'dailyissuedusd',
      fees_usd: 'feetotusd',
      transfer_volume_usd: 'txtfrvaladjusd',
      inflation_rate_annualized: 'inf_pct_ann',
      stock_to_flow_checkonchain: 's2f',
    },
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
    compared: {
      average_cap: 'average_price * supply',
      delta_cap: 'delta_price * supply',
      top_cap: 'top_price * supply',
      average_price: 'average_price',
      delta_price: 'delta_price',
      top_price: 'top_price',
      cvdd: 'cvdd',
      transferred_price: 'transferred_price',
      balanced_price: 'balanced_price',
    },
  },
]
