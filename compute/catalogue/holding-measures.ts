import { satsPerCoin } from '#base/bitcoin.ts'
import { derived, inCategory, summed } from './measure.ts'

export const holdingMeasures = [
  ...inCategory('supply', [
    summed('supply_sats', 'Supply in satoshis', 'sats', 'level', {
      description: 'Value of {coins}, unspent at the end of the day, as a whole number of satoshis.',
      style: 'area',
    }),
    derived('supply', 'Supply', 'BTC', `{supply_sats} / ${satsPerCoin}`, {
      description:
        'Value of {coins}, unspent at the end of the day. Outputs that can never be spent are not counted, as in the gettxoutsetinfo of Bitcoin Core.',
      style: 'area',
    }),
    derived('supply_percent', 'Share of supply', 'percent', '100 * ({supply} / circulating_supply)', {
      description: 'Share of {coins} in the circulating supply. The shares of the twelve age bands are the HODL waves.',
      source: 'Dhruv Bansal (Unchained Capital), 2018',
      style: 'area',
    }),
    summed('utxo_count', 'UTXO count', 'count', 'level', {
      description: 'Number of unspent transaction outputs (UTXOs) that hold {coins}.',
    }),
    derived('supply_change_30d', 'Supply change over 30 days', 'BTC', 'diff({supply}, 30)', {
      description: 'Supply of {coins} minus what it was 30 days before, also called their net position change.',
      style: 'bar',
    }),
  ]),
  ...inCategory('valuation', [
    summed('realized_cap', 'Realized cap', 'USD', 'level', {
      description:
        'Value of {coins}, each at the price at which it last moved. It approximates what their holders paid for them.',
      source: 'Nic Carter and Antoine Le Calvez (Coin Metrics), 2018',
      style: 'area',
    }),
    derived('realized_cap_percent', 'Share of realized cap', 'percent', '100 * ({realized_cap} / realized_cap)', {
      description:
        'Share of {coins} in the realized cap. The shares of the twelve age bands are the realized-cap HODL waves.',
      style: 'area',
    }),
    derived('realized_price', 'Realized price', 'USD', '{realized_cap} / {supply}', {
      description: 'Average cost of {coins}: their realized cap per coin.',
      scale: 'log',
    }),
    derived('mvrv', 'MVRV', 'ratio', 'price * {supply} / {realized_cap}', {
      description: 'Market value of {coins} over their realized value. Above 1 they are worth more than they cost.',
      source: 'Murad Mahmudov and David Puell, 2018',
    }),
  ]),
  ...inCategory('profit_and_loss', [
    summed('unrealized_profit', 'Unrealized profit', 'USD', 'level', {
      description: 'Paper gain on {coins}: the rise in value of those that cost less than the price.',
      style: 'area',
    }),
    summed('unrealized_loss', 'Unrealized loss', 'USD', 'level', {
      description: 'Paper loss on {coins}: the fall in value of those that cost more than the price.',
      style: 'area',
    }),
    derived('unrealized_pl', 'Unrealized profit and loss', 'USD', '{unrealized_profit} - {unrealized_loss}', {
      description: 'Paper gain minus paper loss on {coins}.',
      style: 'area',
    }),
    derived(
      'relative_unrealized_profit',
      'Relative unrealized profit',
      'ratio',
      '{unrealized_profit} / (price * {supply})',
      { description: 'Paper gain on {coins} as a fraction of their market value.' },
    ),
    derived('relative_unrealized_loss', 'Relative unrealized loss', 'ratio', '{unrealized_loss} / (price * {supply})', {
      description: 'Paper loss on {coins} as a fraction of their market value.',
    }),
    derived('nupl', 'NUPL', 'ratio', '{unrealized_pl} / (price * {supply})', {
      description:
        'Net unrealized profit and loss on {coins} as a fraction of their market value. It equals 1 − 1/MVRV.',
      source: 'Tuur Demeester, Tamás Blummer and Michiel Lescrauwaet (Adamant Capital), 2019',
    }),
    summed('supply_in_profit', 'Supply in profit', 'BTC', 'level', {
      description: 'The part of {coins} that cost strictly less than the price of the day.',
      variant:
        'Coins that cost exactly the price are in neither profit nor loss; Coin Metrics counts them as in profit.',
      style: 'area',
    }),
    summed('supply_in_loss', 'Supply in loss', 'BTC', 'level', {
      description: 'The part of {coins} that cost strictly more than the price of the day.',
      style: 'area',
    }),
    derived(
      'supply_in_profit_percent',
      'Share of supply in profit',
      'percent',
      '100 * ({supply_in_profit} / {supply})',
      { field: 'percent_supply_in_profit', description: 'Supply in profit as a share of {coins}.' },
    ),
    derived('supply_in_loss_percent', 'Share of supply in loss', 'percent', '100 * ({supply_in_loss} / {supply})', {
      field: 'percent_supply_in_loss',
      description: 'Supply in loss as a share of {coins}.',
    }),
  ]),
]
