import { ages, btc, count, logRatio, type MetricRow, percent, ratio, usd } from './definition.ts'

const realized = { realized_profit: 'profit', realized_loss: 'loss', realized_pl: 'profit less loss' }
const smoothed = {
  sopr: 'SOPR',
  asopr: 'Adjusted SOPR',
  lth_sopr: 'SOPR of long-term holders',
  sth_sopr: 'SOPR of short-term holders',
}

const atCost = 'circulating_supply - supply_in_profit - supply_in_loss'

/** Gains and losses of all holders; cohort families have those of each cohort. */
export const profitAndLoss: readonly MetricRow[] = [
  // Half a satoshi or less is a rounding error.
  btc('supply_at_cost', 'Supply at cost', `if(${atCost} > 5e-9, ${atCost}, 0 * circulating_supply)`, {
    description:
      'Coins that cost exactly the price of the day; valued by closes, those that last moved today or on a day with the same close.',
  }),
  logRatio('supply_in_profit_to_loss', 'Supply in profit to loss', 'supply_in_profit / supply_in_loss', {
    description: 'Supply in profit over supply in loss.',
  }),
  ...['sth', 'lth'].flatMap((cohort): MetricRow[] => {
    const holders = cohort === 'sth' ? 'short-term holders' : 'long-term holders'
    return [
      logRatio(
        `${cohort}_supply_in_profit_to_loss`,
        `Supply in profit to loss of ${holders}`,
        `${cohort}_supply_in_profit / ${cohort}_supply_in_loss`,
        { description: `Supply in profit over supply in loss of ${holders}.` },
      ),
      ...['profit', 'loss'].map((side) =>
        percent(
          `supply_percent_${cohort}_in_${side}`,
          `Share of the supply in ${side} with ${holders}`,
          `100 * ${cohort}_supply_in_${side} / circulating_supply`,
          { description: `Coins in ${side} of ${holders}, as a share of the circulating supply.` },
        ),
      ),
    ]
  }),
  ...['', 'sth_', 'lth_'].flatMap((cohort) => {
    const coins = { '': 'coins', sth_: 'coins of short-term holders', lth_: 'coins of long-term holders' }[cohort]
    const holders = cohort === '' ? '' : `, ${cohort === 'sth_' ? 'short-term' : 'long-term'} holders`
    const worth = `price * ${cohort}supply_in_profit`
    return [
      usd(
        `${cohort}invested_capital_in_profit`,
        `Invested capital in profit${holders}`,
        // Only a rounding error could make it negative.
        `if(${worth} > ${cohort}unrealized_profit, ${worth} - ${cohort}unrealized_profit, 0 * ${worth})`,
        { description: `What the ${coins} in profit had cost.`, related: [`${cohort}realized_cap`] },
      ),
      usd(
        `${cohort}invested_capital_in_loss`,
        `Invested capital in loss${holders}`,
        `price * ${cohort}supply_in_loss + ${cohort}unrealized_loss`,
        { description: `What the ${coins} in loss had cost.`, related: [`${cohort}realized_cap`] },
      ),
    ]
  }),
  count('utxos_in_profit', 'UTXOs in profit', ages('utxos_in_profit'), {
    description: 'Number of unspent outputs that were created at a lower price than that of the day.',
    variant:
      'Outputs created at exactly the price are in neither profit nor loss; Coin Metrics counts them as in profit.',
  }),
  count('utxos_in_loss', 'UTXOs in loss', ages('utxos_in_loss'), {
    description: 'Number of unspent outputs that were created at a higher price than that of the day.',
  }),
  percent('utxos_in_profit_percent', 'Share of UTXOs in profit', '100 * utxos_in_profit / utxo_count', {
    description: 'UTXOs in profit as a share of all unspent outputs.',
  }),
  percent(
    'spent_volume_in_profit_percent',
    'Share of spent volume in profit',
    '100 * spent_volume_in_profit / spent_volume',
    { description: 'Share of the value spent during the day that was in coins worth more than they had cost.' },
  ),
  ...Object.entries(smoothed).flatMap(([id, name]) =>
    [7, 30].map((days) =>
      ratio(`${id}_${days}d_sma`, `${name}, mean of ${days} days`, `sma(${id}, ${days})`, {
        description: `Mean of the last ${days} days of the spent output profit ratio, which swings from day to day.`,
      }),
    ),
  ),
  logRatio('sopr_ratio', 'SOPR ratio', 'lth_sopr / sth_sopr', {
    description:
      'SOPR of long-term holders over that of short-term holders. High values mean that old hands take far more profit than new ones.',
    source: 'CryptoQuant',
  }),
  ratio('rpv_ratio', 'RPV ratio', 'realized_profit / realized_cap', {
    description: 'Realized profit to value: profit taken during the day as a fraction of the realized cap.',
    source: 'Glassnode, 2020',
    style: 'bar',
  }),
  ratio(
    'seller_exhaustion',
    'Seller exhaustion constant',
    '(supply_in_profit / circulating_supply) * realized_vol_1m / 100',
    {
      description:
        'Fraction of the supply in profit times the volatility of 30 days. It is low when losses are large and the market is calm.',
      variant: 'The volatility is realized_vol_1m as a fraction.',
      source: 'ARK Invest and David Puell, 2021',
    },
  ),
  ...Object.entries(realized).flatMap(([id, words]): MetricRow[] => [
    usd(`cumulative_${id}`, `Cumulative realized ${words}`, `cumsum(${id})`, {
      description: `All realized ${words} up to the day.`,
      style: 'area',
    }),
    ...[7, 30].map((days) =>
      usd(`${id}_${days}d_sum`, `Realized ${words} within ${days} days`, `sum(${id}, ${days})`, {
        description: `Realized ${words} of the last ${days} days together.`,
        style: 'bar',
      }),
    ),
  ]),
  logRatio(
    'realized_pl_ratio_30d',
    'Realized profit to loss ratio over 30 days',
    'realized_profit_30d_sum / realized_loss_30d_sum',
    { description: 'Realized profit over realized loss of the last 30 days together.' },
  ),
  ratio(
    'realized_pl_30d_to_market_cap',
    'Realized profit and loss over 30 days to market cap',
    'realized_pl_30d_sum / market_cap',
    {
      description: 'Realized profit minus realized loss of the last 30 days as a fraction of the market cap.',
      style: 'bar',
    },
  ),
  ratio(
    'cumulative_realized_pl_to_realized_cap',
    'Cumulative realized profit and loss to realized cap',
    'cumulative_realized_pl / realized_cap',
    {
      description:
        'All realized profit minus all realized loss, divided by the realized cap. The rest of the realized cap is close to the thermo cap, what miners were paid for new coins.',
    },
  ),
]
