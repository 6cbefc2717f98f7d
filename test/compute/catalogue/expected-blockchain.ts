import { earlier, mean, sum, type Values, windows } from '#test/sql/formula/naive.ts'
import { type chainSeries, poolTags } from './chain-series.ts'
import { average, by, each, over, running, times } from './rows.ts'

/** Days of the chain before 2010. */
const days2009 = 363

/** The metrics of blocks, fees and mining from the blocks. */
export function expectedBlockchain(
  chain: ReturnType<typeof chainSeries>,
  price: Values,
  supply: Values,
): Record<string, Values> {
  const { height, mined, transactions, inputs, outputs, size, weight, work, difficulty, opReturn, segwit, taproot } =
    chain
  const fees = times(chain.fees, 1e-8)
  const created = times(chain.created, 1e-8)
  const issuance = times(chain.issuance, 1e-8)
  const revenue = each((coins, paid) => coins + paid, issuance, fees)
  const payments = each((all, coinbases) => all - coinbases, transactions, mined)
  const hashRate = (days: number): Values => windows(work, days, (values) => sum(values) / days / 86_400)
  const ribbon = over(hashRate(30), hashRate(60))
  return {
    block_height: height,
    blocks_mined: mined,
    block_interval: each((blocks) => 86_400 / blocks, mined),
    block_interval_median: chain.medianInterval,
    tx_count: payments,
    tx_count_with_coinbase: transactions,
    tx_per_second: times(payments, 1 / 86_400),
    cumulative_tx_count: running(payments),
    outputs,
    created_volume: created,
    created_output_mean_value: over(created, outputs),
    inputs_per_tx: over(inputs, payments),
    outputs_per_tx: over(outputs, transactions),
    size,
    weight,
    block_size_mean: over(size, mined),
    block_fullness_percent: each((units, blocks) => units / blocks / 40_000, weight, mined),
    tx_size_mean: over(size, transactions),
    chain_size: running(size),
    op_return_outputs: opReturn,
    segwit_outputs: segwit,
    taproot_outputs: taproot,
    op_return_outputs_percent: times(over(opReturn, outputs), 100),
    segwit_outputs_percent: times(over(segwit, outputs), 100),
    taproot_outputs_percent: times(over(taproot, outputs), 100),
    fees_sats: chain.fees,
    fees,
    fees_usd: by(fees, price),
    fee_mean: over(fees, payments),
    fee_mean_usd: by(over(fees, payments), price),
    fee_rate_mean: each((sats, units) => (4 * sats) / units, chain.fees, weight),
    cumulative_fees: running(fees),
    issuance_sats: chain.issuance,
    issuance,
    issuance_usd: by(issuance, price),
    inflation_rate: over(windows(issuance, 365, sum), earlier(supply, 365)),
    inflation_rate_glassnode: each(
      (coins, all) => Math.exp(365 * Math.log1p(coins / all)) - 1,
      issuance.map((coins, day) => (day < days2009 ? null : coins)),
      supply,
    ),
    inflation_rate_annualized: times(over(issuance, supply), 365),
    miner_revenue: revenue,
    miner_revenue_usd: by(revenue, price),
    cumulative_miner_revenue: running(revenue),
    block_reward: over(revenue, mined),
    fees_percent: times(over(fees, revenue), 100),
    fee_ratio_multiple: over(revenue, fees),
    difficulty,
    // The least work is that of difficulty 1, a target of (2^16 − 1) · 2^208.
    difficulty_mean: each((hashes, blocks) => hashes / blocks / (2 ** 48 / 65_535), work, mined),
    work,
    cumulative_work: running(work),
    hash_rate_1d: times(work, 1 / 86_400),
    hash_rate_7d: hashRate(7),
    hash_rate_30d: hashRate(30),
    hash_rate_60d: hashRate(60),
    hash_ribbon: ribbon,
    hash_ribbon_buy_signal: buySignals(ribbon, average(price, 10), average(price, 20)),
    hash_price: each((usd, hashes) => (usd * 86_400 * 1e15) / hashes, by(revenue, price), work),
  }
}

/** Day by day: a capitulation arms the signal, the first good day after it fires it once. */
function buySignals(ribbon: Values, fast: Values, slow: Values): Values {
  let armed = false
  return ribbon.map((ratio, day) => {
    if (ratio !== null && ratio <= 1) armed = true
    const [short, long] = [fast[day] ?? null, slow[day] ?? null]
    if (ratio === null || short === null || long === null) return null
    const fires = armed && ratio > 1 && short > long
    if (fires) armed = false
    return Number(fires)
  })
}

/** The pools of blocks, as the tags in their coinbases tell them. */
export function expectedPools({ mined, pools, work }: ReturnType<typeof chainSeries>): Record<string, Values> {
  const counts = pools.map((blocks) => {
    const known = blocks.filter((pool) => pool !== undefined)
    return [...Map.groupBy(known, (pool) => pool).values()].map((own) => own.length).sort((a, b) => b - a)
  })
  const shares = counts.map((own, day) => own.map((blocks) => blocks / mined[day]!))
  const ofDay = (of: (shares: number[]) => number): Values =>
    shares.map((own, day) => (mined[day] === 0 ? null : of(own)))
  const hashRate = windows(work, 7, (values) => sum(values) / 7 / 86_400)
  return {
    pool_count: counts.map((own) => own.length),
    pool_top3_percent: ofDay((own) => 100 * sum(own.slice(0, 3))),
    pool_herfindahl: ofDay((own) => sum(own.map((share) => share ** 2))),
    pool_unknown_percent: ofDay((own) => 100 * (1 - sum(own))),
    ...Object.fromEntries(
      Object.keys(poolTags).flatMap((id) => {
        const first = pools.findIndex((blocks) => blocks.includes(id))
        const blocks = pools.map((own, day) =>
          first < 0 || day < first ? null : own.filter((pool) => pool === id).length,
        )
        const share = times(over(windows(blocks, 7, sum), windows(mined, 7, sum)), 100)
        return [
          [`pool_blocks_${id}`, blocks],
          [`pool_share_percent_${id}`, share],
          [`pool_hash_rate_${id}`, each((percent, rate) => (percent * rate) / 100, share, hashRate)],
        ]
      }),
    ),
  }
}

/** The difficulty ribbon. */
export function expectedRibbon(difficulty: Values): Record<string, Values> {
  const ribbonDays = [9, 14, 25, 40, 60, 90, 128, 200]
  const ribbon = ribbonDays.map((days) => average(difficulty, days))
  return {
    ...Object.fromEntries(ribbonDays.map((days, i) => [`difficulty_sma_${days}`, ribbon[i]!])),
    difficulty_ribbon_mean: each((...lines) => mean(lines), ...ribbon),
    difficulty_ribbon_compression: each(
      (...lines) => {
        const center = mean(lines)
        return Math.sqrt(mean(lines.map((line) => (line - center) ** 2))) / center
      },
      ...ribbon,
    ),
  }
}
