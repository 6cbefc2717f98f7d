/** Everyday phrases with the ids that they mean, best first. */
const table = `
overvalued, overvalued holder pay, undervalued, undervalued holder pay, cheap, expensive, valuation, good time buy, fairly valued: mvrv mvrv_z nupl mayer_multiple reserve_risk
overheated, frothy, froth, hot: mvrv_z nupl mayer_multiple avg_funding_rate pi_cycle_ratio
overbought, oversold, momentum, relative strength: rsi_14 mayer_multiple mvrv_z
fair value, fair price, intrinsic value: realized_price true_market_mean balanced_price power_law_price
bubble: mvrv_z nupl pi_cycle_ratio rhodl_ratio
top, peak: pi_cycle_ratio mvrv_z top_price terminal_price rhodl_ratio
bottom, floor: balanced_price cvdd realized_price mvrv_z pi_cycle_bottom_ratio puell_multiple
market value to realized value, market cap realized cap, market cap cost basis, multiple cost basis, multiple realized price, above what holders paid: mvrv lth_mvrv sth_mvrv
average cost, owner cost, cost basis, average price pay, price people pay, pay coin, average price buy, entry price, break even, on chain price, average pay, owner pay, holder pay, average owner pay: realized_price lth_realized_price sth_realized_price cost_basis_distribution
lth cost basis, lth pay, lth buy price, lth break even: lth_realized_price lth_mvrv
sth cost basis, sth pay, sth break even: sth_realized_price sth_mvrv
urpd, price distribution, where buy, support, resistance, price level, who buy, buy near, buy between: cost_basis_distribution cost_basis_p50 realized_price sth_realized_price
mood, sentiment, greed, euphoria, fomo, fear greed, phase, emotion, belief, denial, anxiety: nupl supply_in_profit_percent sopr avg_funding_rate mvrv_z
panic, panicking, fear, pain, capitulation, sell loss, selling at a loss: realized_loss sth_sopr nupl seller_exhaustion
cash out, profit taking, took profit, realize gain, sell profit, lock profit: realized_profit sopr lth_sopr sell_side_risk_ratio
selling, dumping, sell pressure, sell off: sopr coindays_destroyed spent_volume sell_side_risk_ratio
lth selling, lth dumping, lth distribution, lth spending: lth_spent_volume lth_sopr lth_supply_change_30d
sth selling, sth dumping, sth panic, sth capitulation: sth_sopr sth_realized_loss sth_spent_volume
loss taking, take loss, lock loss, sell below cost, sell under cost, below cost basis sell, capitulate: realized_loss sopr sth_sopr realized_loss_30d_sum
lose, lose money: realized_loss realized_pl realized_loss_30d_sum
in profit, in the green, make money, holder money, investor winning, bought lower, bought below, bought cheaper, paid less than, cost basis below, sit on gains: supply_in_profit_percent supply_in_profit unrealized_profit realized_profit
in loss, underwater, in the red, bought higher, bought above, bought expensive, paid more than, buy higher than price, cost basis above, losing position, sit loss, hold loss, below cost, under cost, coin below cost, coin under cost: supply_in_loss supply_in_loss_percent unrealized_loss realized_loss
paper profit, paper gain, unrealized gain: unrealized_profit nupl unrealized_pl
paper loss: unrealized_loss relative_unrealized_loss nupl
profit or loss, profit and loss overall: nupl unrealized_pl realized_pl supply_in_profit_percent
net realized: realized_pl realized_pl_30d_sum cumulative_realized_pl
net unrealized: nupl unrealized_pl lth_nupl sth_nupl
hodl waves, age bands, age distribution, supply by age: supply_percent_1y_2y supply_percent_10y_plus supply_percent_24h median_coin_age
realized cap hodl waves: realized_cap_percent_1y_2y realized_cap_percent_24h realized_cap_percent_1w_1m
last active, moved last year, young coins, recently moved: supply_under_1y active_supply supply_under_1m
unmoved, not moving, sleeping: supply_over_1y supply_over_5y supply_10y_plus vaulted_supply
over10y: supply_10y_plus supply_percent_10y_plus spent_volume_10y_plus
hodler, conviction, lth, long term: lth_supply lth_supply_change_30d hodler_net_position_change lth_realized_price lth_sopr
hodl: lth_supply supply_percent_1y_2y hodler_net_position_change hodl_bank
sth, speculator, tourist: sth_supply sth_realized_price sth_sopr sth_mvrv
accumulation, stacking, holder buy: lth_supply_change_30d hodler_net_position_change net_coindays vaultedness
distribution of supply: lth_supply sth_supply supply_percent_1y_2y
old coins, old coins move, old coins spent, ancient, vintage, awakened, woke up, wake up, reactivated, dormant, early coins: coindays_destroyed dormancy spent_volume_over_1y spent_volume_over_5y supply_10y_plus
lose coin, lose forever, lose access, never move, lose never, lose never move, lose supply, vanish, disappear: supply_10y_plus vaulted_supply unspendable_supply
burned, provably lost, never be spent, unspendable: unspendable_supply supply_10y_plus
how old, how old average coin, hold time, holding period, average age, coin age, how long hold, long hold before, hold before sell: mean_coin_age median_coin_age mean_dollar_age
smart money, old versus new wealth, old new money, old coins new coins: rhodl_ratio slrv_ratio coindays_destroyed
spend, coin spend, coin move: spent_volume coindays_destroyed dormancy sopr
age spent, old spent, old sold, how old sold, average age spent: dormancy asol msol
cdd, coin days: coindays_destroyed supply_adjusted_cdd binary_cdd net_coindays liveliness
cointime: liveliness vaultedness active_price cointime_price true_market_mean
52 week high, yearly high: high_1y ath
52 week low, yearly low: low_1y drawdown
ath, all time high, record price, record high, new high, hit record, last record, bitcoin record, peak price: ath drawdown days_since_ath cycle_perf_ath
drop, fall, crash, correction, dip, below ath, far ath, far all time high, below high, down from ath, down from high, down all time high, below all time high, from peak, from top, drop since top, drop since peak, drop from peak, drop from record, below peak: drawdown drawdown_from_high return_30d realized_vol_1m
since ath, since all time high, since last high, since record, since top, since peak, previous peak, last peak, last top, when peak: days_since_ath cycle_perf_ath drawdown
turnover, traded volume, liquid market: volume volume_to_market_cap
bear, bull: drawdown mayer_multiple price_to_sma_1400 days_since_ath
weekly volatility: realized_vol_1w realized_vol_2w
volatility, volatile, wild, swing, calm, choppy, volatility low, volatility high: realized_vol_1m realized_vol_1w realized_vol_1y bollinger_width
risk: reserve_risk realized_vol_1m sharpe_365d sell_side_risk_ratio
risk conviction, risk holder, risk buy, confidence versus price: reserve_risk mvrv_z nupl
holder gain, average gain, average profit, investor gain, average holder gain, average investor profit, average coin profit, average holder loss, average holder red, average holder underwater, average holder profit, average investor loss, average investor red, average investor underwater, typical holder, average holder make: mvrv nupl unrealized_profit
risk adjusted return, reward risk, good risk: sharpe_365d sortino_365d reserve_risk
buy 1y ago, make buy year, make invest year: return_365d dca_return_1y
buy 4y ago: return_1460d dca_return_4y
yearly return, annual return, return 365d, return 1y: return_365d cagr_4y return_30d
monthly return, return 30d, return 1m: return_30d return_7d return_365d
weekly return, return 7d, return 1w: return_7d return_1d return_30d
daily return, return 1d, since yesterday: return_1d return_7d
compound, growth rate, annual growth: cagr_4y cagr_2y cagr_8y return_365d
return, performance, gain, rise, price change, roi: return_365d return_30d return_1d return_7d
price today, price now, spot price, bitcoin price, ohlc: price ath return_1d
2 year multiplier, 2y multiplier: price_sma_730_x5 price_sma_730
200 week: price_sma_1400 price_to_sma_1400
price vs 200d, 200d ratio, above 200d, below 200d, distance 200d, multiple 200d, 200d moving average ratio: mayer_multiple price_sma_200
funding difference, funding differ, funding gap, funding range, funding spread, funding arbitrage: funding_spread avg_funding_rate
cost basis near, cost near price, cost basis close, bought near price, bought around price, near break even: realized_supply_density_5 realized_supply_density_15 supply_at_cost cost_basis_distribution
etf premium, etf nav, net asset value, premium nav: etf_premium_average etf_premium_ibit etf_premium_gbtc
miner income average, miner income yearly, miner income 1y, miner revenue average, miner revenue yearly, miner compare year, miner revenue year, miner compare average, miner last year, issuance compare: puell_multiple miner_revenue_usd
yearly moving average, yearly average price, 1y moving average, 365d moving average, annual moving average: price_sma_365 price_ema_365
200 day: price_sma_200 mayer_multiple
moving average, trend, sma, ema: price_sma_200 price_sma_1400 price_ema_200 mayer_multiple
golden ratio multiplier: price_sma_350_x1_6 price_sma_350_x2 price_sma_350_x3 price_sma_350
rainbow: power_law_ratio power_law_price price_sma_1400
golden cross, death cross: golden_cross_ratio price_sma_50 price_sma_200
sats per usd, satoshi usd, sats buy, how many sats: sats_per_dollar
dollar cost averaging, dca, buy every day, buy every week, buy every month, savings plan, monthly plan, regular buy, buy regularly, buy monthly, buy weekly: dca_return_1y dca_return_4y dca_price_4y
halving, next halving, until halving, when halving, halving countdown, cut half, reward cut, reward half: blocks_to_halving halving_progress_percent days_since_halving cycle_perf_halving block_reward
since low, since bottom, off the low, from the bottom, cycle low: cycle_perf_low days_since_cycle_low balanced_price
before first halving, until first halving, first epoch, earliest coins: supply_epoch_1 supply_percent_epoch_1 supply_10y_plus
since halving, after halving, halving cycle: cycle_perf_halving days_since_halving halving_epoch
cycle: cycle_perf_halving cycle_perf_low cycle_perf_ath pi_cycle_ratio
s2f: stock_to_flow stock_to_flow_price stock_to_flow_deflection
scarcity, scarce: stock_to_flow inflation_rate supply_remaining
inflation, supply growth, supply rise, supply expand, rise supply year: inflation_rate inflation_rate_annualized issuance
circulating, exist, total supply, how many bitcoin are there: circulating_supply issued_supply supply_issued_percent
left to mine, last bitcoin mined, last coin mined, max supply, maximum supply, remaining, still mined, not mined, 21 million, until all mined, many bitcoin ever, many coin ever, ever exist: supply_remaining supply_issued_percent issued_supply
already mined, mined so far, percent mined: supply_issued_percent issued_supply supply_remaining
new coins, new bitcoin, new supply, minted, mined per day, created per day, coins mined, created every, mined every, minted every, created each, mined each, minted each, bitcoin created: issuance issuance_usd block_reward
market capitalization, market value, bitcoin valuation, network worth, worth total, total value, network value, big bitcoin, all bitcoin cost, all coin cost, buy all bitcoin: market_cap realized_cap thermo_cap
worth, bitcoin worth, bitcoin cost, exchange rate: price market_cap realized_price
money flow, capital flow, new money, capital entering, money entering, invest, money into: realized_cap realized_cap_change_30d realized_cap_change_30d_percent
nakamoto coefficient: pool_top3_percent pool_herfindahl
pool, pool find, pool mine, biggest pool, largest pool: pool_top3_percent pool_count pool_share_percent_foundry_usa
miner: miner_revenue_usd hash_price puell_multiple hash_ribbon fees_percent
miner revenue total, total mining revenue, mining revenue since genesis, revenue since genesis, miner since genesis, miner earn total: cumulative_miner_revenue thermo_cap_with_fees miner_revenue_usd
miner earn, miner income, miner revenue, miner make, miner money, miner reward, miner profit, daily income, mining revenue, mining income, mining reward, plus fees, reward plus fees, subsidy plus fees, coinbase reward, coinbase plus fees: miner_revenue_usd miner_revenue hash_price
miner profitability, mining profitable, mining profitability, worth mining, per hash, per terahash, per exahash, per petahash, production cost, cost to mine, mining cost, breakeven, revenue terahash, revenue exahash, revenue petahash, earn terahash, earn petahash, earn exahash, make terahash, per ph, per th, per eh, terahash worth, petahash worth, terahash, petahash: hash_price puell_multiple miner_revenue_usd
miner health, miner capitulation, miner stress, miner struggling, miner pressure, miner quit, miner shut, miner give up, miner sell, miner turn off, machine, rig, switched off, turned off, unplug, shut down, hardware, go offline: hash_ribbon puell_multiple difficulty_ribbon_compression
hashrate, hash rate, hash power, computing power, hashing, exahash, security, secure, eh, zettahash: hash_rate_7d hash_rate_1d hash_rate_30d hash_ribbon difficulty
difficulty, hard mine, harder mine, retarget, adjustment: difficulty difficulty_ribbon_compression hash_rate_7d
subsidy, block reward, reward per block, coins per block: block_reward issuance issuance_usd
fees, total fees, fees today, fees per block: fees fees_usd fees_percent fee_mean
average fee, typical fee, transaction fee, fee per transaction, cost transaction, cost send, cost to transfer, expensive send, cheap send, pay send, pay transaction, fee send, transaction expensive, cost move: fee_mean_usd fee_mean fee_median_usd fee_rate_mean
median fee: fee_median fee_median_usd
median fee rate, cheapest fee, lowest fee, fee percentile, sat vb median: fee_rate_median fee_rate_p10 fee_rate_mean
fee rate, sats per vbyte, sat vb, sat per byte, satoshi per byte, satoshi per vbyte, vbyte, fee vbyte, fee byte: fee_rate_mean fee_mean fee_median
fee income, fee revenue, fee reward, share of fees, part of fees, fees versus subsidy, rely on fees, live from fees: fees_percent fee_ratio_multiple fees
between blocks, block time, block interval, slow blocks, minutes per block, find a block: block_interval blocks_mined hash_rate_1d
longest wait for a block, longest block, longest gap between blocks: block_interval_max block_interval
empty blocks, spy mining, blocks without transactions: empty_blocks empty_blocks_percent
dust, dust attack, dusting, tiny outputs: dust_outputs dust_outputs_percent
coinjoin, mixer, mixing, wasabi, whirlpool, privacy transaction: coinjoin_like_transactions coinjoin_like_transactions_percent
consolidation, consolidating, sweep, cleaning up utxos: consolidation_transactions consolidation_transactions_percent
batching, batched payment, payout transaction, exchange batch: batch_transactions batch_transactions_percent
rbf, replace by fee, replaceable, fee bump: replaceable_transactions_percent replaceable_transactions
truc, v3 transaction, transaction version: version_3_transactions version_2_transactions version_1_transactions
locktime, lock time, timelocked: locked_transactions locked_transactions_percent
ordinal, inscription, inscribed: inscription_transactions inscription_transactions_percent
rune, runestone, runes protocol: runestone_transactions runestone_transactions_percent
omni, tether omni: omni_outputs
payload, data carrier size, large op return, bytes of op return: op_return_bytes large_op_return_outputs op_return_bytes_mean
change adjusted, without change, real transfer volume, economic volume: adjusted_volume adjusted_volume_usd
median output, median utxo, typical output: created_value_median spent_value_median
median transfer, typical transfer: transfer_value_median transfer_volume_per_tx
block height, latest block, how many blocks exist: block_height blocks_mined
blocks per day, blocks found, blocks mined, number of blocks: blocks_mined block_height block_interval
full block, block space, congested, congestion, busy, empty block, block full, block empty, block room, space in block: block_fullness_percent block_size_mean fee_rate_mean
blockchain size, large blockchain, big blockchain, size of the chain, disk, gigabyte, storage: chain_size size block_size_mean
average transaction value, average transfer, typical payment, average payment, large transaction, transaction size, average transaction: transfer_volume_per_tx spent_output_mean_value transfer_volume_usd
segwit, transaction segwit, segwit share, segwit use, segwit adoption: segwit_outputs_percent segwit_outputs
taproot, transaction taproot, taproot share, taproot use, taproot adoption: taproot_outputs_percent taproot_outputs
unspent output, utxo set: utxo_count utxo_count_change_30d
change hands, circulate: velocity spent_volume
transactions, payments: tx_count tx_per_second cumulative_tx_count
activity, usage, adoption, busy network, busy chain, network use, using bitcoin, still using: tx_count transfer_volume_usd fees nvt
on chain volume, value moved, value transferred, money moved, money sent, coins sent, settle, settlement, volume on chain, coins moved, bitcoin moved, value settled, usd settled, usd moved, usd sent, throughput, economic activity, value sent, usd flow through, usd through, money through, usd transacted, value transacted: transfer_volume_usd spent_volume spent_volume
trading, traded, trading volume, exchange volume, spot volume: volume volume_to_market_cap
price earnings, pe ratio, value transactions, market cap transactions, value versus usage: nvt nvt_signal nvt_price rvt
nvt: nvt nvt_signal nvt_price
leverage, leveraged, overleveraged, speculation, margin, futures, derivatives: total_oi_usd oi_to_market_cap avg_funding_rate
perpetual, perp, funding, long pay, short pay, longs paying, cost of long, perps cost, annualized funding, long crowded, crowded trade, positioning, long bias, pay leverage, pay for leverage, cost leverage: avg_funding_rate funding_annualized funding_spread
oi, open interest, open position, outstanding contract, oi drop, oi fall, oi crash, oi rise, oi drop crash: total_oi_usd oi_to_market_cap oi_delta_usd
etf, etf hold, etf own, traded fund: etf_total_btc_holdings etf_net_flow_usd etf_cumulative_flow_btc etf_realized_price
etf flow, etf inflow, etf outflow, etf buy, etf sell, etf purchase, etf demand, etf money, etf withdrawal, wall street, spot fund, fund flow, fund money, fund buy, fund sell, bitcoin fund, new money fund, new money etf, money into fund: etf_net_flow_usd etf_net_flow_btc etf_cumulative_flow_btc etf_total_btc_holdings
etf cost basis, etf pay, etf buy price, etf purchase price, etf average price, etf break even, etf investor, etf profit, etf underwater, etf price: etf_realized_price etf_mvrv etf_us_realized_price
etf since launch, etf cumulative, etf flow total, etf flow so far: etf_cumulative_flow_btc etf_cumulative_money_flow etf_total_btc_holdings
etf flow month, etf flow 30d, etf month: etf_net_flow_btc_30d_sum etf_net_flow_usd
etf flow week, etf flow 7d, etf week: etf_net_flow_btc_7d_sum etf_net_flow_usd
etf share, etf percent, etf dominance, etf supply, etf share supply, etf total supply, etf share total supply, etf part: etf_dominance_percent etf_total_btc_holdings
american etf, us etf, american spot etf, american etf own, us etf hold, us spot etf: etf_us_btc_holdings etf_total_btc_holdings
how many etf, number etf: etf_count etf_total_btc_holdings
etf aum, etf asset, etf worth, etf value, etf value hold, etf hold worth: etf_total_aum_usd etf_total_btc_holdings
institutional, institution: etf_total_btc_holdings etf_net_flow_usd dat_total_btc
treasury, company, corporate, corporation, balance sheet, firm, business: dat_public_company_btc dat_total_btc dat_total_companies dat_net_change_btc
how many companies, number of companies: dat_total_companies dat_public_company_btc
company share, company percent, treasury share, treasury percent: dat_supply_percent dat_total_btc dat_public_company_btc
company buy, treasury buy, company purchase, corporate buy, treasury flow: dat_net_change_btc dat_total_btc dat_public_company_btc
saylor, microstrategy, strategy own, strategy bitcoin, strategy buy, strategy purchase: dat_btc_amount_1 dat_net_flow_btc_1 dat_public_company_btc
government, state, country, nation, el salvador: dat_government_btc dat_total_btc
blackrock flow, blackrock buy, blackrock sell, blackrock fund flow: etf_net_flow_btc_ibit etf_btc_holdings_ibit
blackrock, ishares: etf_btc_holdings_ibit etf_net_flow_btc_ibit
`

/**
 * A search that contains all words of a phrase, in any order and form, ranks its ids before others,
 * unless these words are part of a longer phrase of the search.
 */
export const synonyms: readonly { readonly phrases: readonly string[]; readonly ids: readonly string[] }[] = table
  .trim()
  .split('\n')
  .map((line) => line.split(': '))
  .map(([phrases = '', ids = '']) => ({ phrases: phrases.split(', '), ids: ids.split(' ') }))
