/** Youngest first; lower edges in days; each ends where the next begins. */
export const ageBands = [
  { id: '24h', fromAge: 0 },
  { id: '1d_1w', fromAge: 1 },
  { id: '1w_1m', fromAge: 7 },
  { id: '1m_3m', fromAge: 30 },
  { id: '3m_6m', fromAge: 90 },
  { id: '6m_12m', fromAge: 180 },
  { id: '1y_2y', fromAge: 365 },
  { id: '2y_3y', fromAge: 730 },
  { id: '3y_5y', fromAge: 1095 },
  { id: '5y_7y', fromAge: 1825 },
  { id: '7y_10y', fromAge: 2555 },
  { id: '10y_plus', fromAge: 3650 },
] as const

export type AgeBand = (typeof ageBands)[number]['id']

/**
 * Ends of metric ids of coins by size, script type or origin. Pages load this instead of the longer
 * `coin-cohorts.ts`.
 */
export const coinCohortEnd =
  /_(0_sats|\d+[km]?_(\d+[km]?|plus)_(sats|btc)|(over|under)_\d+[km]?_(sats|btc)|p2(pk|pkh|sh|wpkh|wsh|tr|a)|multisig|witness_other|other_scripts|(exposed|mined)(_over_\d+y)?|moved)$/
/** Other names of cohorts by size. */
export const animalEnd = /_(shrimps|crabs|fish|sharks|whales)$/
