/** Ids that must never disappear. New metrics need not be added. */

const words = (text: string): string[] => text.trim().split(/\s+/)
const bands = words('24h 1d_1w 1w_1m 1m_3m 3m_6m 6m_12m 1y_2y 2y_3y 3y_5y 5y_7y 7y_10y 10y_plus')

export const namedMetrics: readonly string[] = [
  ...words(`
    price circulating_supply market_age_days high ath drawdown drawdown_from_high days_since_ath volume
    return_1d return_7d return_30d return_90d return_180d return_365d return_730d return_1460d
    realized_vol_1w realized_vol_2w realized_vol_1m realized_vol_3m realized_vol_6m realized_vol_1y
    price_sma_7 price_sma_200 price_sma_1400 price_ema_7 price_ema_200 price_ema_1400 mayer_multiple
    price_sma_730 price_sma_730_x5 price_sma_111 price_sma_350_x2 rsi_14
    sharpe_30d sharpe_90d sharpe_365d sortino_30d sortino_90d sortino_365d power_law_price
    cycle_perf_halving cycle_perf_ath cycle_perf_low
    market_cap realized_cap mvrv mvrv_z mvrv_z_glassnode thermo_cap thermo_cap_with_fees mc_tc_ratio
    average_cap delta_cap delta_price top_cap delta_top transferred_price balanced_price terminal_price cvdd
    investor_cap true_market_mean aviv vaulted_price active_price cointime_price cointime_cap
    nvt nvt_signal rvt velocity puell_multiple stock_to_flow rhodl_ratio rhodl_ratio_raw rhodl_ratio_brk slrv_ratio
    reserve_risk hodl_bank vocdd reserve_risk_365d reserve_risk_expanding
    realized_supply_density_5 realized_supply_density_15 cost_basis_distribution cost_basis_p01 cost_basis_p50 cost_basis_p99
    sopr asopr sopr_ratio rpv_ratio sell_side_risk_ratio realized_pl_ratio seller_exhaustion
    cumulative_realized_profit cumulative_realized_loss cumulative_realized_pl
    realized_profit_7d_sum realized_loss_7d_sum realized_pl_7d_sum
    realized_profit_30d_sum realized_loss_30d_sum realized_pl_30d_sum
    coindays_destroyed supply_adjusted_cdd binary_cdd binary_cdd_365d
    coindays_destroyed_7d_sum coindays_destroyed_30d_sum coindays_destroyed_90d_sum coindays_destroyed_365d_sum
    coindays_created net_coindays coindays_accumulated liveliness vaultedness active_supply vaulted_supply
    hodler_net_position_change transfer_volume transfer_volume_usd dormancy dormancy_flow asol msol vdd vdd_multiple
    revived_supply_1y revived_supply_2y revived_supply_3y revived_supply_5y revived_supply_7y revived_supply_10y
    block_height blocks_mined block_interval tx_count tx_count_with_coinbase inputs outputs size weight
    fees fee_mean fee_median fees_percent issuance issuance_usd inflation_rate miner_revenue miner_revenue_usd difficulty
    hash_rate_1d hash_rate_7d hash_rate_30d hash_rate_60d hash_ribbon difficulty_sma_9 difficulty_sma_14 difficulty_sma_200
    difficulty_ribbon_compression hash_price utxo_count op_return_outputs
    segwit_outputs_percent taproot_outputs_percent
    lth_supply sth_supply lth_realized_cap sth_realized_cap lth_realized_price sth_realized_price lth_mvrv sth_mvrv
    lth_unrealized_pl sth_unrealized_pl lth_nupl sth_nupl lth_sopr sth_sopr nupl unrealized_profit unrealized_loss
    unrealized_pl realized_profit realized_loss realized_pl supply_in_profit supply_in_loss supply_in_profit_percent
    lth_smooth_supply sth_smooth_supply supply_over_1y mvrv_over_1y supply_under_1m realized_cap_y2013 supply_epoch_2
    supply_change_30d spent_volume spent_volume_usd spent_outputs realized_price
  `),
  ...bands.flatMap((band) =>
    ['supply', 'supply_percent', 'realized_cap', 'realized_cap_percent', 'realized_price', 'mvrv', 'svab', 'soab'].map(
      (measure) => `${measure}_${band}`,
    ),
  ),
]

/** Metrics of the markets, which are active once their data have been fetched. */
export const namedMarketMetrics: readonly string[] = words(`
  avg_funding_rate funding_spread funding_annualized funding_exchange_count funding_rate_binance funding_rate_bybit
  funding_rate_okx funding_rate_deribit funding_rate_bitget funding_rate_gate funding_rate_hyperliquid
  total_oi_usd oi_delta_usd oi_delta_percent oi_exchange_count oi_to_market_cap oi_usd_binance oi_btc_gate oi_share_okx
  etf_total_btc_holdings etf_total_aum_usd etf_net_flow_btc etf_net_flow_usd etf_cumulative_flow_btc
  etf_cumulative_money_flow etf_dominance_percent etf_realized_price etf_us_btc_holdings etf_us_realized_price
  etf_premium_average etf_count etf_realized_cap_ibit etf_premium_fbtc etf_btc_holdings_gbtc
  dat_total_btc dat_total_companies dat_public_company_btc dat_net_change_btc dat_supply_percent dat_total_value_usd
  dat_cumulative_money_flow dat_btc_amount_1 dat_net_flow_btc_1 dat_market_share_percent_1
`)
