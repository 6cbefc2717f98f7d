/**
 * At which prices coins and spends are valued: those of the hour of their block where they are known, or the closes of days
 * alone.
 */
export const pricings = ['hourly', 'daily'] as const
export type Pricing = (typeof pricings)[number]

/** How the coins and spends of a generation are valued; `hourly` has the days that are by the hour, null for none. */
export interface PublishedPricing {
  readonly setting: Pricing
  readonly hourly: { readonly days: number; readonly first_date: string; readonly last_date: string } | null
}

/** The same for people to read. */
export function describePricing({ setting, hourly }: PublishedPricing): string {
  if (!hourly)
    return `by the close of each day${setting === 'daily' ? ' (PRICING=daily)' : ': no hourly prices are stored'}`
  const { days, first_date, last_date } = hourly
  return `by the hour on ${days.toLocaleString('en')} day${days === 1 ? '' : 's'}, ${first_date} to ${last_date}; by the close on others`
}
