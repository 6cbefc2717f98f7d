import { isoDate } from '#base/days.ts'
import {
  describePricing as formatPricing,
  type PriceSource,
  type Pricing,
  type PublishedPricing,
} from '#contract/pricing.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { withDependents } from '../catalogue/metric-history.ts'
import type { HourPrices } from '../cohorts/hour-prices.ts'
import { appendNote, followsFromCost } from './cost-gap.ts'

/** @param firstDay unix day of the first closed day */
export function describePricing(
  { pricing: setting, priceSource }: { readonly pricing: Pricing; readonly priceSource?: PriceSource | undefined },
  hours: HourPrices | undefined,
  firstDay: number,
): PublishedPricing {
  if (priceSource === 'onchain') return { setting: 'daily', source: priceSource, hourly: null }
  if (!hours) return { setting, hourly: null }
  const date = (day: number): string => isoDate(firstDay + day)
  return {
    setting,
    hourly: {
      days: hours.byHour.reduce((count, byHour) => count + byHour, 0),
      first_date: date(hours.byHour.indexOf(1)),
      last_date: date(hours.byHour.lastIndexOf(1)),
    },
  }
}

/**
 * Adds to each metric that depends on the cost of coins or the value of spends how these are
 * valued, and with prices from the chain to those of the price too. Short, because it is repeated a
 * hundred times.
 */
export function addPricingNote(catalogue: Catalogue, pricing: PublishedPricing): Catalogue {
  const valued = followsFromCost(catalogue, ['spent_volume_usd', 'spent_volume_1h_usd'])
  const prices = catalogue.definitions.filter(({ from }) => pricing.source && from?.table === 'prices')
  const priced = withDependents(
    catalogue.formulas,
    prices.map(({ id }) => id),
  )
  const affected = new Set([...valued, ...priced])
  return appendNote(catalogue, affected, 'variant', `Valued ${formatPricing(pricing)}.`)
}
