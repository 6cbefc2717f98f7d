import { type ScriptType, scriptTypes } from './kinds.ts'

/** Least balances in satoshis: more than nothing, then by powers of ten. */
export const balanceBounds: readonly number[] = [1, ...Array.from({ length: 8 }, (_, i) => 10_0000 * 10 ** i)]

/** The bounds in ids. */
export const boundNames = ['0', '0_001', '0_01', '0_1', '1', '10', '100', '1k', '10k'] as const

/** Least values of balances in USD, and these in ids. */
export const usdBounds: readonly number[] = Array.from({ length: 8 }, (_, i) => 10 ** i)
export const usdNames = ['1', '10', '100', '1k', '10k', '100k', '1m', '10m'] as const

const withoutAddress: readonly ScriptType[] = ['multisig', 'other', 'op_return', 'unspendable']

/** Script types that addresses have. */
export const addressTypes = scriptTypes.filter((type) => !withoutAddress.includes(type))

/** Script types that show a key or script only when they are spent. */
export const hidingTypes: readonly ScriptType[] = ['p2pkh', 'p2sh', 'p2wpkh', 'p2wsh']

const last = boundNames.length - 1
export const bandNames = boundNames.map((name, i) => (i === last ? `${name}_plus` : `${name}_to_${boundNames[i + 1]}`))

/** The measures of `address_balances`, by what they are. */
export const balanceMeasures = {
  /** Addresses with at least a balance, and what they hold in BTC. */
  over: boundNames.map((name) => `over_${name}`),
  supplyOver: boundNames.map((name) => `supply_over_${name}`),
  /** Addresses whose balance is worth at least so much at the close. */
  overUsd: usdNames.map((name) => `over_${name}_usd`),
  /**
   * Addresses with a balance between two bounds, what they hold in BTC, and what it had cost per
   * coin in USD.
   */
  band: bandNames.map((name) => `band_${name}`),
  supplyBand: bandNames.map((name) => `supply_band_${name}`),
  priceBand: bandNames.map((name) => `realized_price_band_${name}`),
  /** Funded addresses by script type. */
  type: addressTypes.map((type) => `type_${type}`),
  /** Changes on a day. */
  events: ['new', 'newly_funded', 'emptied', 'reactivated_1y', 'reactivated_5y'] as const,
  /** Funded addresses whose coins had cost less on average than the close, and the others. */
  profit: ['in_profit', 'in_loss'] as const,
  /** Addresses that received twice or more and never spent. */
  habits: ['accumulating', 'supply_accumulating'] as const,
  /**
   * Funded addresses whose key or script a spend has shown, what they hold in BTC, and that with
   * the coins of outputs that show a key.
   */
  exposure: ['operationally_exposed', 'supply_operationally_exposed', 'supply_total_exposed'] as const,
  /** All addresses that ever received an output. */
  ever: ['ever'] as const,
  shape: ['gini', 'herfindahl', 'top_1_percent', 'top_100', 'median'] as const,
} as const

export const balanceMeasureNames: readonly string[] = Object.values(balanceMeasures).flat()
