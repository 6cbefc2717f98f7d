/** Coins and spends are valued by the block's hour if known, or only by daily closes. */
export const pricings = ['hourly', 'daily'] as const
export type Pricing = (typeof pricings)[number]

/** Prices of markets, or experimental ones from the chain alone. */
export const priceSources = ['markets', 'onchain'] as const
export type PriceSource = (typeof priceSources)[number]

/** `hourly`: days valued by the hour. */
export interface PublishedPricing {
  readonly setting: Pricing
  /** Left out for prices of markets. */
  readonly source?: 'onchain' | undefined
  readonly hourly: { readonly days: number; readonly first_date: string; readonly last_date: string } | null
}

export function describePricing({ setting, hourly, source }: PublishedPricing): string {
  if (source) return 'by prices from the chain alone (experimental, PRICE_SOURCE=onchain)'
  if (!hourly) return `by daily closes${setting === 'daily' ? ' (PRICING=daily)' : ': no hourly prices are stored'}`
  const { days, first_date, last_date } = hourly
  return `by the hour on ${days.toLocaleString('en')} day${days === 1 ? '' : 's'}, ${first_date} to ${last_date}; by the close on others`
}

/** A known price from which that of the chain is followed. */
export interface PriceAnchor {
  /** Unix day. */
  readonly day: number
  /** USD. */
  readonly price: number
}

/** @param gap of the price of the chain over that of markets, as a fraction */
export const describePriceGap = (gap: number): string =>
  `the price from the chain is ${Math.abs(100 * gap).toFixed(1)} % ${gap > 0 ? 'above' : 'below'} that of markets`
