import { btc, inUnit, type MetricRow, ratio } from './definition.ts'

const source = 'James Check and David Puell (Cointime Economics), 2023'

/** Every coin earns a coin day per day and loses all when spent. */
export const cointime: readonly MetricRow[] = [
  inUnit('coin-days')('coindays_created', 'Coin days created', 'circulating_supply', {
    kind: 'flow',
    description: 'Coin days that the supply earned during the day: one for every coin.',
    source,
    style: 'line',
  }),
  inUnit('coin-days')('net_coindays', 'Net coin days', 'coindays_created - coindays_destroyed', {
    description:
      'Coin days created minus coin days destroyed. It is negative on days on which more was destroyed than created.',
    source,
  }),
  inUnit('coin-days')('coindays_accumulated', 'Coin days accumulated', 'cumsum(net_coindays)', {
    description: 'Coin days stored in all unspent coins.',
    source,
    style: 'area',
  }),
  ratio('liveliness', 'Liveliness', 'cumsum(coindays_destroyed) / cumsum(circulating_supply)', {
    description:
      'Fraction of all coin days ever created that have been destroyed. It rises when old coins are spent and falls while holders hold.',
    source: 'Tamás Blummer, 2018',
  }),
  ratio('vaultedness', 'Vaultedness', '1 - liveliness', {
    description: 'Fraction of all coin days ever created that are still stored: 1 − liveliness.',
    source,
  }),
  ratio('activity_to_vaultedness', 'Activity to vaultedness', 'liveliness / vaultedness', {
    description: 'Liveliness over vaultedness.',
    source,
  }),
  ratio('liveliness_change_30d', 'Liveliness change over 30 days', 'diff(liveliness, 30)', {
    description: 'Liveliness minus its value 30 days before. Above 0, holders spend faster than they store.',
    style: 'bar',
  }),
  btc('active_supply', 'Active supply', 'circulating_supply * liveliness', {
    description: 'The part of the supply that takes part in the economy: circulating supply times liveliness.',
    source,
    style: 'area',
  }),
  btc('vaulted_supply', 'Vaulted supply', 'circulating_supply * vaultedness', {
    description: 'The part of the supply that is lost or stored away: circulating supply times vaultedness.',
    source,
    style: 'area',
  }),
  btc('hodler_net_position_change', 'Hodler net position change', 'vaulted_supply - shift(vaulted_supply, 30)', {
    description: 'Vaulted supply minus its value 30 days before. Above 0 holders accumulate.',
    source: 'Adamant Capital, 2019',
    style: 'bar',
  }),
]
