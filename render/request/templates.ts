import { findClosest } from '#base/suggestions.ts'
import { ChartRequestError } from './request-error.ts'
import { type ChartTemplate, showsOnly } from './template.ts'
import { coinDayTemplates } from './templates/coin-days.ts'
import { cycleTemplates } from './templates/cycles.ts'
import { marketTemplates } from './templates/markets.ts'
import { networkTemplates } from './templates/network.ts'
import { priceTemplates } from './templates/price.ts'
import { profitTemplates } from './templates/profit.ts'
import { supplyTemplates } from './templates/supply.ts'
import { transactionTemplates } from './templates/transactions.ts'
import { valuationTemplates } from './templates/valuation.ts'

export const templateGroups: Readonly<Record<string, Readonly<Record<string, ChartTemplate>>>> = {
  Price: priceTemplates,
  'Value and cost': valuationTemplates,
  'Profit and loss': profitTemplates,
  Supply: supplyTemplates,
  'Coin days': coinDayTemplates,
  Network: { ...networkTemplates, ...transactionTemplates },
  Cycles: cycleTemplates,
  Markets: marketTemplates,
}

export const templates: Readonly<Record<string, ChartTemplate>> = Object.assign({}, ...Object.values(templateGroups))

/** Throws `ChartRequestError`. */
export function requireTemplate(name: string): ChartTemplate {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined
  if (template) return template
  const allowed = Object.keys(templates)
  // A metric's id suggests the template that shows it.
  const suggestion = allowed.find((one) => showsOnly(templates[one]!, name)) ?? findClosest(name, allowed)
  const hint = suggestion === undefined ? '.' : `; did you mean '${suggestion}'?`
  const message = `there is no template '${name}'${hint} There are ${allowed.join(', ')}`
  throw new ChartRequestError('not_found', message, { parameter: 'template', allowed })
}
