import { ageBands } from '#contract/cohorts.ts'

/**
 * Vendors with our ids, each followed by the vendor's name; `Names` are common names. The aliases
 * of a metric keep this order.
 */
const vendorNames = `
Coin Metrics: price PriceUSD, market_cap CapMrktCurUSD, circulating_supply SplyCur, realized_cap CapRealUSD,
  mvrv CapMVRVCur, nvt_adjusted NVTAdj, nvt_signal_adjusted NVTAdj90, velocity VelCur1yr, return_30d ROI30d,
  return_365d ROI1yr, realized_vol_1m_coin_metrics VtyDayRet30d, realized_vol_6m_coin_metrics VtyDayRet180d,
  utxo_count UTXOCnt, supply_under_1y SplyAct1yr, supply_under_1m SplyAct30d, supply_under_2y SplyAct2yr,
  supply_under_3y SplyAct3yr, supply_under_5y SplyAct5yr, tx_count TxCnt, tx_per_second TxCntSec,
  transfer_volume_usd TxTfrValUSD, fees FeeTotNtv, fees_usd FeeTotUSD, fee_mean FeeMeanNtv, fee_mean_usd FeeMeanUSD,
  fee_median FeeMedNtv, fee_median_usd FeeMedUSD, blocks_mined BlkCnt, block_height BlkHgt,
  block_size_mean BlkSizeMeanByte, size BlkSizeByte, weight BlkWghtTot, issuance IssTotNtv, issuance_usd IssTotUSD,
  inflation_rate_annualized IssContPctAnn, miner_revenue RevNtv, miner_revenue_usd RevUSD, hash_rate_1d HashRate,
  hash_rate_30d HashRate30d, difficulty DiffLast, difficulty_mean DiffMean, supply_under_1w SplyAct7d,
  supply_under_3m SplyAct90d, supply_under_6m SplyAct180d, supply_under_4y SplyAct4yr, supply_under_10y SplyAct10yr,
  spent_volume_over_1y SplyRvv1yr, spent_volume_over_2y SplyRvv2yr, spent_volume_over_3y SplyRvv3yr,
  spent_volume_over_5y SplyRvv5yr, rvt_adjusted RVTAdj, mean_coin_age UTXOAgeValMean
Glassnode: price market_price_usd_close, market_cap market_marketcap_usd, circulating_supply supply_current,
  realized_cap market_marketcap_realized_usd, realized_price market_price_realized_usd, mvrv market_mvrv,
  lth_mvrv market_mvrv_more_155, sth_mvrv market_mvrv_less_155, nupl indicators_net_unrealized_profit_loss,
  lth_nupl indicators_nupl_more_155, sth_nupl indicators_nupl_less_155,
  relative_unrealized_profit indicators_unrealized_profit, relative_unrealized_loss indicators_unrealized_loss,
  realized_profit indicators_realized_profit, realized_loss indicators_realized_loss,
  realized_pl_ratio indicators_realized_profit_loss_ratio, sopr indicators_sopr, asopr indicators_sopr_adjusted,
  lth_sopr indicators_sopr_more_155, sth_sopr indicators_sopr_less_155, thermo_cap_glassnode mining_thermocap,
  mc_tc_ratio_glassnode mining_marketcap_thermocap_ratio, puell_multiple indicators_puell_multiple,
  rhodl_ratio indicators_rhodl_ratio, reserve_risk indicators_reserve_risk,
  stock_to_flow_deflection indicators_stock_to_flow_deflection, nvt_adjusted indicators_nvt,
  nvt_signal_adjusted indicators_nvts, velocity_glassnode indicators_velocity,
  drawdown_from_high market_price_drawdown_relative, realized_vol_1m market_realized_volatility_1_month,
  coindays_destroyed indicators_cdd, coindays_destroyed_365d_sum indicators_cyd,
  supply_adjusted_cdd indicators_cdd_supply_adjusted, binary_cdd indicators_cdd_supply_adjusted_binary,
  dormancy indicators_average_dormancy, supply_adjusted_dormancy indicators_average_dormancy_supply_adjusted,
  dormancy_flow indicators_dormancy_flow, liveliness indicators_liveliness, vaulted_supply indicators_hodled_lost_coins,
  hodler_net_position_change indicators_hodler_net_position_change,
  seller_exhaustion indicators_seller_exhaustion_constant, asol indicators_asol, msol indicators_msol,
  spent_volume blockchain_utxo_spent_value_sum, spent_outputs blockchain_utxo_spent_count,
  outputs blockchain_utxo_created_count, utxo_count blockchain_utxo_count, supply_in_profit supply_profit_sum,
  supply_in_loss supply_loss_sum, lth_smooth_supply supply_lth_sum, sth_smooth_supply supply_sth_sum,
  tx_count transactions_count, tx_per_second transactions_rate, fees fees_volume_sum, fee_mean fees_volume_mean,
  created_value_median blockchain_utxo_created_value_median, spent_value_median blockchain_utxo_spent_value_median,
  transfer_value_median transactions_transfers_volume_median, fee_median fees_volume_median,
  fees_percent mining_revenue_from_fees, fee_ratio_multiple fees_fee_ratio_multiple,
  blocks_mined blockchain_block_count, block_height blockchain_block_height,
  block_interval blockchain_block_interval_mean, block_size_mean blockchain_block_size_mean,
  size blockchain_block_size_sum, issuance mining_volume_mined_sum, issuance supply_issued, issuance supply_minted,
  inflation_rate_glassnode supply_inflation_rate, miner_revenue mining_revenue_sum, hash_rate_1d mining_hash_rate_mean,
  hash_ribbon indicators_hash_ribbon, difficulty mining_difficulty_latest,
  difficulty_ribbon_compression indicators_difficulty_ribbon_compression,
  total_oi_usd derivatives_futures_open_interest_sum, avg_funding_rate derivatives_futures_funding_rate_perpetual,
  coindays_destroyed_90d_sum indicators_cdd90, cdd_90d_age_adjusted indicators_cdd90_age_adjusted,
  investor_cap indicators_investor_capitalization, rpv_ratio indicators_realized_profits_to_value_ratio,
  slrv_ratio supply_sth_lth_realized_value_ratio, realized_vol_1w market_realized_volatility_1_week,
  realized_vol_2w market_realized_volatility_2_weeks, realized_vol_3m market_realized_volatility_3_months,
  realized_vol_6m market_realized_volatility_6_months, realized_vol_1y market_realized_volatility_1_year,
  supply_in_profit_percent supply_profit_relative, lth_smooth_supply_change_30d supply_lth_net_change,
  lth_smooth_supply_in_profit supply_lth_profit_sum, lth_smooth_supply_in_loss supply_lth_loss_sum,
  sth_smooth_supply_in_profit supply_sth_profit_sum, sth_smooth_supply_in_loss supply_sth_loss_sum,
  spent_output_mean_value blockchain_utxo_spent_value_mean, utxos_in_profit blockchain_utxo_profit_count,
  utxos_in_loss blockchain_utxo_loss_count, utxos_in_profit_percent blockchain_utxo_profit_relative,
  created_volume blockchain_utxo_created_value_sum, created_output_mean_value blockchain_utxo_created_value_mean,
  supply_adjusted_cyd indicators_cyd_supply_adjusted, block_interval_median blockchain_block_interval_median,
  spent_outputs_under_1h indicators_sol_1h, spent_outputs_1h_24h indicators_sol_1h_24h,
  spent_volume_under_1h indicators_svl_1h, spent_volume_1h_24h indicators_svl_1h_24h,
  tx_size_mean transactions_size_mean, spent_volume_in_profit transactions_transfers_volume_profit_sum,
  spent_volume_in_loss transactions_transfers_volume_loss_sum,
  spent_volume_in_profit_percent transactions_transfers_volume_profit_relative
CryptoQuant: circulating_supply supply_total, mvrv MVRV Ratio, nupl NUPL, relative_unrealized_profit nup,
  relative_unrealized_loss nul, sopr SOPR, asopr aSOPR, asopr a_sopr, lth_sopr Long Term Holder SOPR,
  sth_sopr Short Term Holder SOPR, sopr_ratio SOPR Ratio, thermo_cap Thermo Cap, average_cap Average Cap,
  delta_cap Delta Cap, puell_multiple Puell Multiple, stock_to_flow Stock to Flow, nvt NVT Ratio,
  nvt_golden_cross NVT Golden Cross, coindays_destroyed CDD, supply_adjusted_cdd Supply-Adjusted CDD,
  supply_adjusted_cdd sa_cdd, binary_cdd Binary CDD, dormancy Average Dormancy,
  supply_adjusted_dormancy sa_average_dormancy, fee_mean fees_transaction_mean, fees_percent Fees to Reward Ratio,
  issuance supply_new, total_oi_usd Open Interest, avg_funding_rate Funding Rates, avg_funding_rate funding_rates,
  mean_coin_age mca, mean_dollar_age mcda
Bitcoin Magazine Pro: realized_price Realized Price, mvrv_z MVRV Z-Score, mvrv_z_2y MVRV Z-Score 2YR Rolling,
  nupl Relative Unrealized Profit/Loss, terminal_price Terminal Price, reserve_risk Reserve Risk,
  price_sma_1400 200 Week Moving Average Heatmap, price_sma_730_x5 Bitcoin Investor Tool: 2-Year MA Multiplier,
  price_sma_350_x1_6 The Golden Ratio Multiplier, pi_cycle_ratio Pi Cycle Top Indicator,
  vdd_multiple Value Days Destroyed Multiple
Woobull: average_price Average Price, delta_price Delta Price, top_price Top Cap, cvdd CVDD,
  transferred_price Transferred Price, balanced_price Balanced Price
CheckOnChain: true_market_mean True Market Mean, stock_to_flow_checkonchain S2F, inflation_rate_annualized inf_pct_ann
brk: rhodl_ratio_brk rhodl_ratio
Names: price close, market_cap market capitalization, realized_cap realized market cap,
  realized_price average cost basis, nupl net unrealized profit/loss, nupl RUPL,
  unrealized_pl net unrealized profit and loss in USD, realized_pl net realized profit/loss,
  sopr spent output profit ratio, thermo_cap thermocap, mc_tc_ratio thermocap multiple, mc_tc_ratio thermo cap multiple,
  true_market_mean active investor price, rhodl_ratio realized HODL ratio, stock_to_flow S2F,
  nvt network value to transactions, mayer_multiple 200-day moving average multiple,
  price_sma_1400 200-week moving average, price_sma_1400 200WMA, price_sma_350_x1_6 golden ratio multiplier,
  pi_cycle_ratio pi cycle top, coindays_destroyed CDD, coindays_destroyed_365d_sum CYD,
  coindays_destroyed_365d_sum coinyears_destroyed, coindays_destroyed_365d_sum coin years destroyed,
  vdd_multiple VDD multiple, vaulted_supply hodled or lost coins, asol average spent output lifespan,
  msol median spent output lifespan, spent_outputs inputs, lth_supply long-term holder supply,
  sth_supply short-term holder supply, lth_realized_price long-term holder cost basis,
  sth_realized_price short-term holder cost basis, supply_under_1y supply active within a year,
  cost_basis_distribution URPD, cost_basis_distribution UTXO realized price distribution, tx_count transaction count,
  fees transaction fees, coinjoin_like_transactions CoinJoin, replaceable_transactions RBF, fee_ratio_multiple FRM,
  miner_revenue_usd miner revenue in dollars, hash_price hashprice, hash_rate_1d hashrate, hash_rate_1d hash_rate,
  hash_ribbon hash ribbons, hash_ribbon miner capitulation, hash_ribbon_buy_signal hash ribbons buy,
  ahr999 AHR999 index, rainbow_band rainbow chart
Coin Metrics: mc_tc_ratio MCTC, puell_multiple PuellMulTot, spent_volume TxTfrValNtv, supply_in_profit SplyUTXOProf,
  supply_in_loss SplyUTXOLoss, transfer_value_median TxTfrValMedNtv, block_interval BlkIntMean, hash_price RevHashUSD,
  utxos_in_profit UTXOProfCnt, utxos_in_loss UTXOLossCnt, tx_size_mean TxMeanByte
Glassnode: realized_pl indicators_net_realized_profit_loss, delta_cap market_deltacap_usd,
  stock_to_flow indicators_stock_to_flow_ratio, pi_cycle_ratio indicators_pi_cycle_top,
  cost_basis_distribution indicators_utxo_realized_price_distribution_percent,
  total_oi_usd derivatives_futures_open_interest_perpetual_sum
CryptoQuant: realized_pl nrpl, tx_count transactions_count_total, fees fees_total, hash_rate_1d hashrate
Bitcoin Magazine Pro: top_price Top Cap, cvdd CVDD, balanced_price Balanced Price,
  lth_realized_price Long Term Holder Realized Price, sth_realized_price Short Term Holder Realized Price
Names: cvdd cumulative value days destroyed, spent_volume transfer_volume, spent_volume transfer volume
Glassnode: cvdd indicators_cvdd, balanced_price indicators_balanced_price_usd
`

const listed = vendorNames
  .trim()
  .split(/\n(?=\S)/)
  .flatMap((lines) => {
    const [, vendor, names = ''] = /^([\w ]+): (.*)$/s.exec(lines)!
    return names.split(/,\s+/).map((pair) => {
      const [, id = '', name] = /^(\S+) (.*)$/.exec(pair)!
      return { id, alias: vendor === 'Names' ? `${name}` : `${vendor}: ${name}` }
    })
  })

/** Supply unmoved for years. */
const atRest = Object.entries({ 1: 'over_1y', 2: 'over_2y', 3: 'over_3y', 5: 'over_5y', 10: '10y_plus' }).flatMap(
  ([years, cohort]) => [
    { id: `supply_${cohort}`, alias: `supply last active ${years}y+` },
    { id: `supply_${cohort}`, alias: `supply last active more than ${years} years ago` },
    { id: `supply_percent_${cohort}`, alias: `Glassnode: supply_active_more_${years}y_percent` },
    { id: `supply_percent_${cohort}`, alias: `share of supply last active ${years}y+` },
  ],
)

/** Glassnode's ids of supply and spends by age, with our bands. */
const byAge = ageBands.flatMap(({ id: band }) => {
  const theirs = band === '10y_plus' ? 'more_10y' : band
  const supply = { id: `supply_${band}`, alias: `Glassnode: supply_active_${theirs}` }
  if (band === '24h') return [supply]
  return [
    supply,
    { id: `spent_outputs_${band}`, alias: `Glassnode: indicators_sol_${theirs}` },
    { id: `spent_volume_${band}`, alias: `Glassnode: indicators_svl_${theirs}` },
  ]
})

/** Old coins that move. */
const revived = [1, 2, 3, 5, 7, 10].flatMap((years) => {
  const id = years === 10 ? 'spent_volume_10y_plus' : `spent_volume_over_${years}y`
  return [
    { id, alias: `revived_supply_${years}y` },
    { id, alias: `Glassnode: supply_revived_more_${years}y_sum` },
  ]
})

/**
 * Other names of metrics by our id: `vendor: id or name` if the definition is the same or named in
 * `variant`, else common names. Names in the form of an id are accepted as ids.
 */
export const aliases: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...Map.groupBy([...listed, ...atRest, ...byAge, ...revived], ({ id }) => id)].map(([id, own]) => [
    id,
    own.map(({ alias }) => alias),
  ]),
)
