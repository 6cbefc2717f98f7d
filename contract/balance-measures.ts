import { type ScriptType, scriptTypes } from './kinds.ts'

/** In satoshis: more than nothing, then powers of ten. */
export const balanceBounds: readonly number[] = [1, ...Array.from({ length: 8 }, (_, i) => 10_0000 * 10 ** i)]

export const boundNames = ['0', '0_001', '0_01', '0_1', '1', '10', '100', '1k', '10k'] as const

/** In USD, and as in ids. */
export const usdBounds: readonly number[] = Array.from({ length: 8 }, (_, i) => 10 ** i)
export const usdNames = ['1', '10', '100', '1k', '10k', '100k', '1m', '10m'] as const

const withoutAddress: readonly ScriptType[] = ['multisig', 'other', 'op_return', 'unspendable']

export const addressTypes = scriptTypes.filter((type) => !withoutAddress.includes(type))

/** Show a key or script only when spent. */
export const hidingTypes: readonly ScriptType[] = ['p2pkh', 'p2sh', 'p2wpkh', 'p2wsh']

const last = boundNames.length - 1
export const bandNames = boundNames.map((name, i) => (i === last ? `${name}_plus` : `${name}_to_${boundNames[i + 1]}`))

/** Measures of `address_balances`. */
export const balanceMeasures = {
  /** Addresses with at least a balance: number, and BTC held. */
  over: boundNames.map((name) => `over_${name}`),
  supplyOver: boundNames.map((name) => `supply_over_${name}`),
  /** Worth at least so much at the close. */
  overUsd: usdNames.map((name) => `over_${name}_usd`),
  /** Between two bounds: number, BTC held, cost per coin in USD. */
  band: bandNames.map((name) => `band_${name}`),
  supplyBand: bandNames.map((name) => `supply_band_${name}`),
  priceBand: bandNames.map((name) => `realized_price_band_${name}`),
  type: addressTypes.map((type) => `type_${type}`),
  /** Changes on a day. */
  events: ['new', 'newly_funded', 'emptied', 'reactivated_1y', 'reactivated_5y'] as const,
  /** Average cost of their coins below the close, or above it. */
  profit: ['in_profit', 'in_loss'] as const,
  /** Received twice or more and never spent. */
  habits: ['accumulating', 'supply_accumulating'] as const,
  /**
   * A spend has shown their key or script: number, BTC held, and that plus coins of outputs that
   * show a key.
   */
  exposure: ['operationally_exposed', 'supply_operationally_exposed', 'supply_total_exposed'] as const,
  ever: ['ever'] as const,
  shape: ['gini', 'herfindahl', 'top_1_percent', 'top_100', 'median'] as const,
} as const

export const balanceMeasureNames: readonly string[] = Object.values(balanceMeasures).flat()

/** These depend on what coins had cost. */
export const costMeasures: ReadonlySet<string> = new Set([...balanceMeasures.profit, ...balanceMeasures.priceBand])

const oddIds: Readonly<Record<string, string>> = {
  funded_addresses: 'over_0',
  total_addresses: 'ever',
  accumulation_addresses: 'accumulating',
  total_exposed_supply: 'supply_total_exposed',
}

/** Measure of a metric, such as `over_1` of `addresses_over_1_btc`. */
export function findBalanceMeasure(id: string): string | undefined {
  const name = id
    .replace(/_btc$/, '')
    .replace(/^funded_addresses_/, 'type_')
    .replace(/addresses_(?=\d+[k\d_]*_(to|plus))/, 'band_')
    .replace(/_?address(es)?/, '')
    .replace(/^_/, '')
  return [oddIds[id], name].find((one) => one !== undefined && balanceMeasureNames.includes(one))
}
