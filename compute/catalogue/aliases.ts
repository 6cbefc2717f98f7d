import { ageBands } from '#contract/cohorts.ts'

/** Our ids, each followed by the ids of a vendor for the same metric. */
const vendorIds = `
Glassnode: cvdd indicators_cvdd, balanced_price indicators_balanced_price_usd, coindays_destroyed_90d_sum indicators_cdd90
Glassnode: cdd_90d_age_adjusted indicators_cdd90_age_adjusted, stock_to_flow indicators_stock_to_flow_ratio
Glassnode: investor_cap indicators_investor_capitalization, rpv_ratio indicators_realized_profits_to_value_ratio
Glassnode: delta_cap market_deltacap_usd, slrv_ratio supply_sth_lth_realized_value_ratio, pi_cycle_ratio indicators_pi_cycle_top
Glassnode: realized_vol_1w market_realized_volatility_1_week, realized_vol_2w market_realized_volatility_2_weeks
Glassnode: realized_vol_3m market_realized_volatility_3_months, realized_vol_6m market_realized_volatility_6_months
Glassnode: realized_vol_1y market_realized_volatility_1_year, supply_in_profit_percent supply_profit_relative
Glassnode: lth_smooth_supply_change_30d supply_lth_net_change, lth_smooth_supply_in_profit supply_lth_profit_sum
Glassnode: lth_smooth_supply_in_loss supply_lth_loss_sum, sth_smooth_supply_in_profit supply_sth_profit_sum
Glassnode: sth_smooth_supply_in_loss supply_sth_loss_sum, issuance supply_issued supply_minted
Glassnode: spent_output_mean_value blockchain_utxo_spent_value_mean, utxos_in_profit blockchain_utxo_profit_count
Glassnode: utxos_in_loss blockchain_utxo_loss_count, utxos_in_profit_percent blockchain_utxo_profit_relative
Glassnode: created_volume blockchain_utxo_created_value_sum, created_output_mean_value blockchain_utxo_created_value_mean
Glassnode: supply_adjusted_cyd indicators_cyd_supply_adjusted, block_interval_median blockchain_block_interval_median
Glassnode: spent_outputs_under_1h indicators_sol_1h, spent_outputs_1h_24h indicators_sol_1h_24h
Glassnode: spent_volume_under_1h indicators_svl_1h, spent_volume_1h_24h indicators_svl_1h_24h
Coin Metrics: difficulty_mean DiffMean
Glassnode: size blockchain_block_size_sum, tx_size_mean transactions_size_mean
Glassnode: total_oi_usd derivatives_futures_open_interest_perpetual_sum, cost_basis_distribution indicators_utxo_realized_price_distribution_percent
Glassnode: spent_volume_in_profit transactions_transfers_volume_profit_sum, spent_volume_in_loss transactions_transfers_volume_loss_sum
Glassnode: spent_volume_in_profit_percent transactions_transfers_volume_profit_relative
Coin Metrics: supply_under_1w SplyAct7d, supply_under_3m SplyAct90d, supply_under_6m SplyAct180d, supply_under_4y SplyAct4yr
Coin Metrics: supply_under_10y SplyAct10yr, spent_volume_over_1y SplyRvv1yr, spent_volume_over_2y SplyRvv2yr
Coin Metrics: spent_volume_over_3y SplyRvv3yr, spent_volume_over_5y SplyRvv5yr, supply_in_profit SplyUTXOProf, supply_in_loss SplyUTXOLoss, utxos_in_profit UTXOProfCnt
Coin Metrics: utxos_in_loss UTXOLossCnt, rvt RVTAdj, block_interval BlkIntMean, tx_size_mean TxMeanByte
Coin Metrics: mean_coin_age UTXOAgeValMean, puell_multiple PuellMulTot, mc_tc_ratio MCTC
CryptoQuant: asopr a_sopr, mean_coin_age mca, mean_dollar_age mcda, realized_pl nrpl
CryptoQuant: relative_unrealized_profit nup, relative_unrealized_loss nul, supply_adjusted_cdd sa_cdd, supply_adjusted_dormancy sa_average_dormancy
CryptoQuant: hash_rate_1d hashrate, avg_funding_rate funding_rates, fees fees_total, fee_mean fees_transaction_mean, issuance supply_new
CryptoQuant: circulating_supply supply_total, tx_count transactions_count_total
`

const fromVendors = vendorIds
  .trim()
  .split('\n')
  .map((line) => line.split(': '))
  .flatMap(([vendor, text = '']) => text.split(', ').map((group) => ({ vendor, ids: group.split(' ') })))
  .flatMap(({ vendor, ids: [id = '', ...others] }) => others.map((other) => ({ id, alias: `${vendor}: ${other}` })))

const named: Readonly<Record<string, readonly string[]>> = {
  price: ['Coin Metrics: PriceUSD', 'Glassnode: market_price_usd_close', 'close'],
  market_cap: ['Coin Metrics: CapMrktCurUSD', 'Glassnode: market_marketcap_usd', 'market capitalization'],
  circulating_supply: ['Coin Metrics: SplyCur', 'Glassnode: supply_current'],
  realized_cap: ['Coin Metrics: CapRealUSD', 'Glassnode: market_marketcap_realized_usd', 'realized market cap'],
  realized_price: [
    'Glassnode: market_price_realized_usd',
    'Bitcoin Magazine Pro: Realized Price',
    'average cost basis',
  ],
  mvrv: ['Coin Metrics: CapMVRVCur', 'Glassnode: market_mvrv', 'CryptoQuant: MVRV Ratio'],
  lth_mvrv: ['Glassnode: market_mvrv_more_155'],
  sth_mvrv: ['Glassnode: market_mvrv_less_155'],
  mvrv_z: ['Bitcoin Magazine Pro: MVRV Z-Score'],
  mvrv_z_2y: ['Bitcoin Magazine Pro: MVRV Z-Score 2YR Rolling'],
  nupl: [
    'Glassnode: indicators_net_unrealized_profit_loss',
    'CryptoQuant: NUPL',
    'Bitcoin Magazine Pro: Relative Unrealized Profit/Loss',
    'net unrealized profit/loss',
    'RUPL',
  ],
  lth_nupl: ['Glassnode: indicators_nupl_more_155'],
  sth_nupl: ['Glassnode: indicators_nupl_less_155'],
  unrealized_pl: ['net unrealized profit and loss in USD'],
  relative_unrealized_profit: ['Glassnode: indicators_unrealized_profit'],
  relative_unrealized_loss: ['Glassnode: indicators_unrealized_loss'],
  realized_pl: ['net realized profit/loss', 'Glassnode: indicators_net_realized_profit_loss'],
  realized_profit: ['Glassnode: indicators_realized_profit'],
  realized_loss: ['Glassnode: indicators_realized_loss'],
  realized_pl_ratio: ['Glassnode: indicators_realized_profit_loss_ratio'],
  sopr: ['Glassnode: indicators_sopr', 'CryptoQuant: SOPR', 'spent output profit ratio'],
  asopr: ['Glassnode: indicators_sopr_adjusted', 'CryptoQuant: aSOPR'],
  lth_sopr: ['Glassnode: indicators_sopr_more_155', 'CryptoQuant: Long Term Holder SOPR'],
  sth_sopr: ['Glassnode: indicators_sopr_less_155', 'CryptoQuant: Short Term Holder SOPR'],
  sopr_ratio: ['CryptoQuant: SOPR Ratio'],
  thermo_cap: ['CryptoQuant: Thermo Cap', 'thermocap'],
  thermo_cap_glassnode: ['Glassnode: mining_thermocap'],
  mc_tc_ratio: ['thermocap multiple', 'thermo cap multiple'],
  mc_tc_ratio_glassnode: ['Glassnode: mining_marketcap_thermocap_ratio'],
  average_cap: ['CryptoQuant: Average Cap'],
  average_price: ['Woobull: Average Price'],
  delta_cap: ['CryptoQuant: Delta Cap'],
  delta_price: ['Woobull: Delta Price'],
  top_price: ['Woobull: Top Cap', 'Bitcoin Magazine Pro: Top Cap'],
  cvdd: ['Woobull: CVDD', 'Bitcoin Magazine Pro: CVDD', 'cumulative value days destroyed'],
  transferred_price: ['Woobull: Transferred Price'],
  balanced_price: ['Woobull: Balanced Price', 'Bitcoin Magazine Pro: Balanced Price'],
  terminal_price: ['Bitcoin Magazine Pro: Terminal Price'],
  true_market_mean: ['CheckOnChain: True Market Mean', 'active investor price'],
  puell_multiple: ['Glassnode: indicators_puell_multiple', 'CryptoQuant: Puell Multiple'],
  rhodl_ratio: ['Glassnode: indicators_rhodl_ratio', 'realized HODL ratio'],
  rhodl_ratio_brk: ['brk: rhodl_ratio'],
  reserve_risk: ['Glassnode: indicators_reserve_risk', 'Bitcoin Magazine Pro: Reserve Risk'],
  stock_to_flow: ['CryptoQuant: Stock to Flow', 'S2F'],
  stock_to_flow_checkonchain: ['CheckOnChain: S2F'],
  stock_to_flow_deflection: ['Glassnode: indicators_stock_to_flow_deflection'],
  nvt: ['Coin Metrics: NVTAdj', 'Glassnode: indicators_nvt', 'CryptoQuant: NVT Ratio', 'network value to transactions'],
  nvt_signal: ['Coin Metrics: NVTAdj90', 'Glassnode: indicators_nvts'],
  nvt_golden_cross: ['CryptoQuant: NVT Golden Cross'],
  velocity: ['Coin Metrics: VelCur1yr'],
  velocity_glassnode: ['Glassnode: indicators_velocity'],
  mayer_multiple: ['200-day moving average multiple'],
  price_sma_1400: ['Bitcoin Magazine Pro: 200 Week Moving Average Heatmap', '200-week moving average', '200WMA'],
  price_sma_730_x5: ['Bitcoin Magazine Pro: Bitcoin Investor Tool: 2-Year MA Multiplier'],
  price_sma_350_x1_6: ['Bitcoin Magazine Pro: The Golden Ratio Multiplier', 'golden ratio multiplier'],
  pi_cycle_ratio: ['Bitcoin Magazine Pro: Pi Cycle Top Indicator', 'pi cycle top'],
  drawdown_from_high: ['Glassnode: market_price_drawdown_relative'],
  return_30d: ['Coin Metrics: ROI30d'],
  return_365d: ['Coin Metrics: ROI1yr'],
  realized_vol_1m_coin_metrics: ['Coin Metrics: VtyDayRet30d'],
  realized_vol_6m_coin_metrics: ['Coin Metrics: VtyDayRet180d'],
  realized_vol_1m: ['Glassnode: market_realized_volatility_1_month'],
  coindays_destroyed: ['Glassnode: indicators_cdd', 'CryptoQuant: CDD', 'CDD'],
  coindays_destroyed_365d_sum: ['Glassnode: indicators_cyd', 'CYD', 'coinyears_destroyed', 'coin years destroyed'],
  supply_adjusted_cdd: ['Glassnode: indicators_cdd_supply_adjusted', 'CryptoQuant: Supply-Adjusted CDD'],
  binary_cdd: ['Glassnode: indicators_cdd_supply_adjusted_binary', 'CryptoQuant: Binary CDD'],
  dormancy: ['Glassnode: indicators_average_dormancy', 'CryptoQuant: Average Dormancy'],
  supply_adjusted_dormancy: ['Glassnode: indicators_average_dormancy_supply_adjusted'],
  dormancy_flow: ['Glassnode: indicators_dormancy_flow'],
  vdd_multiple: ['Bitcoin Magazine Pro: Value Days Destroyed Multiple', 'VDD multiple'],
  liveliness: ['Glassnode: indicators_liveliness'],
  vaulted_supply: ['Glassnode: indicators_hodled_lost_coins', 'hodled or lost coins'],
  hodler_net_position_change: ['Glassnode: indicators_hodler_net_position_change'],
  seller_exhaustion: ['Glassnode: indicators_seller_exhaustion_constant'],
  asol: ['Glassnode: indicators_asol', 'average spent output lifespan'],
  msol: ['Glassnode: indicators_msol', 'median spent output lifespan'],
  spent_volume: [
    'Glassnode: blockchain_utxo_spent_value_sum',
    'Coin Metrics: TxTfrValNtv',
    'transfer_volume',
    'transfer volume',
  ],
  spent_outputs: ['Glassnode: blockchain_utxo_spent_count', 'inputs'],
  outputs: ['Glassnode: blockchain_utxo_created_count'],
  utxo_count: ['Coin Metrics: UTXOCnt', 'Glassnode: blockchain_utxo_count'],
  supply_in_profit: ['Glassnode: supply_profit_sum'],
  supply_in_loss: ['Glassnode: supply_loss_sum'],
  lth_supply: ['long-term holder supply'],
  sth_supply: ['short-term holder supply'],
  lth_smooth_supply: ['Glassnode: supply_lth_sum'],
  sth_smooth_supply: ['Glassnode: supply_sth_sum'],
  lth_realized_price: ['long-term holder cost basis', 'Bitcoin Magazine Pro: Long Term Holder Realized Price'],
  sth_realized_price: ['short-term holder cost basis', 'Bitcoin Magazine Pro: Short Term Holder Realized Price'],
  ...Object.fromEntries(
    (
      [
        [1, 'over_1y'],
        [2, 'over_2y'],
        [3, 'over_3y'],
        [5, 'over_5y'],
        [10, '10y_plus'],
      ] as const
    ).flatMap(([years, cohort]) => [
      [`supply_${cohort}`, [`supply last active ${years}y+`, `supply last active more than ${years} years ago`]],
      [
        `supply_percent_${cohort}`,
        [`Glassnode: supply_active_more_${years}y_percent`, `share of supply last active ${years}y+`],
      ],
    ]),
  ),
  supply_under_1y: ['Coin Metrics: SplyAct1yr', 'supply active within a year'],
  supply_under_1m: ['Coin Metrics: SplyAct30d'],
  supply_under_2y: ['Coin Metrics: SplyAct2yr'],
  supply_under_3y: ['Coin Metrics: SplyAct3yr'],
  supply_under_5y: ['Coin Metrics: SplyAct5yr'],
  cost_basis_distribution: ['URPD', 'UTXO realized price distribution'],
  tx_count: ['Coin Metrics: TxCnt', 'Glassnode: transactions_count', 'transaction count'],
  tx_per_second: ['Coin Metrics: TxCntSec', 'Glassnode: transactions_rate'],
  transfer_volume_usd: ['Coin Metrics: TxTfrValUSD'],
  fees: ['Coin Metrics: FeeTotNtv', 'Glassnode: fees_volume_sum', 'transaction fees'],
  fees_usd: ['Coin Metrics: FeeTotUSD'],
  fee_mean: ['Coin Metrics: FeeMeanNtv', 'Glassnode: fees_volume_mean'],
  fee_mean_usd: ['Coin Metrics: FeeMeanUSD'],
  created_value_median: ['Glassnode: blockchain_utxo_created_value_median'],
  spent_value_median: ['Glassnode: blockchain_utxo_spent_value_median'],
  transfer_value_median: ['Glassnode: transactions_transfers_volume_median', 'Coin Metrics: TxTfrValMedNtv'],
  coinjoin_like_transactions: ['CoinJoin'],
  replaceable_transactions: ['RBF'],
  fee_median: ['Coin Metrics: FeeMedNtv', 'Glassnode: fees_volume_median'],
  fee_median_usd: ['Coin Metrics: FeeMedUSD'],
  fees_percent: ['Glassnode: mining_revenue_from_fees', 'CryptoQuant: Fees to Reward Ratio'],
  fee_ratio_multiple: ['Glassnode: fees_fee_ratio_multiple', 'FRM'],
  blocks_mined: ['Coin Metrics: BlkCnt', 'Glassnode: blockchain_block_count'],
  block_height: ['Coin Metrics: BlkHgt', 'Glassnode: blockchain_block_height'],
  block_interval: ['Glassnode: blockchain_block_interval_mean'],
  block_size_mean: ['Coin Metrics: BlkSizeMeanByte', 'Glassnode: blockchain_block_size_mean'],
  size: ['Coin Metrics: BlkSizeByte'],
  weight: ['Coin Metrics: BlkWghtTot'],
  issuance: ['Coin Metrics: IssTotNtv', 'Glassnode: mining_volume_mined_sum'],
  issuance_usd: ['Coin Metrics: IssTotUSD'],
  inflation_rate_annualized: ['Coin Metrics: IssContPctAnn', 'CheckOnChain: inf_pct_ann'],
  inflation_rate_glassnode: ['Glassnode: supply_inflation_rate'],
  miner_revenue: ['Coin Metrics: RevNtv', 'Glassnode: mining_revenue_sum'],
  miner_revenue_usd: ['Coin Metrics: RevUSD', 'miner revenue in dollars'],
  hash_price: ['hashprice', 'Coin Metrics: RevHashUSD'],
  hash_rate_1d: ['Coin Metrics: HashRate', 'Glassnode: mining_hash_rate_mean', 'hashrate', 'hash_rate'],
  hash_rate_30d: ['Coin Metrics: HashRate30d'],
  hash_ribbon: ['Glassnode: indicators_hash_ribbon', 'hash ribbons', 'miner capitulation'],
  difficulty: ['Coin Metrics: DiffLast', 'Glassnode: mining_difficulty_latest'],
  difficulty_ribbon_compression: ['Glassnode: indicators_difficulty_ribbon_compression'],
  total_oi_usd: ['Glassnode: derivatives_futures_open_interest_sum', 'CryptoQuant: Open Interest'],
  avg_funding_rate: ['Glassnode: derivatives_futures_funding_rate_perpetual', 'CryptoQuant: Funding Rates'],
}

/** Glassnode's ids of supply and spends by age; its bands are ours. */
const byAge = ageBands.flatMap(({ id: band }) => {
  const theirs = band === '10y_plus' ? 'more_10y' : band
  const spends = [
    ['spent_outputs', 'sol'],
    ['spent_volume', 'svl'],
  ] as const
  return [
    { id: `supply_${band}`, alias: `Glassnode: supply_active_${theirs}` },
    ...(band === '24h'
      ? []
      : spends.map(([id, name]) => ({ id: `${id}_${band}`, alias: `Glassnode: indicators_${name}_${theirs}` }))),
  ]
})

/** Old coins that move have a name of their own. */
const revived = [1, 2, 3, 5, 7, 10].flatMap((years) => {
  const id = years === 10 ? 'spent_volume_10y_plus' : `spent_volume_over_${years}y`
  const names = [`revived_supply_${years}y`, `Glassnode: supply_revived_more_${years}y_sum`]
  return names.map((alias) => ({ id, alias }))
})

const added = Map.groupBy([...fromVendors, ...byAge, ...revived], ({ id }) => id)

/**
 * Other names of metrics, by our id: `vendor: their id or name` if the definition is the same or
 * named in `variant`, else common names. A name in the form of an id is accepted as an id.
 */
export const aliases: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...new Set([...Object.keys(named), ...added.keys()])].map((id) => [
    id,
    [...(named[id] ?? []), ...(added.get(id) ?? []).map(({ alias }) => alias)],
  ]),
)
