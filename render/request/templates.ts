import type { ChartTemplate } from './template.ts'
import { coinDayTemplates } from './templates/coin-days.ts'
import { cycleTemplates } from './templates/cycles.ts'
import { marketTemplates } from './templates/markets.ts'
import { networkTemplates } from './templates/network.ts'
import { priceTemplates } from './templates/price.ts'
import { profitTemplates } from './templates/profit.ts'
import { supplyTemplates } from './templates/supply.ts'
import { valuationTemplates } from './templates/valuation.ts'

export const templateGroups: Readonly<Record<string, Readonly<Record<string, ChartTemplate>>>> = {
  Price: priceTemplates,
  'Value and cost': valuationTemplates,
  'Profit and loss': profitTemplates,
  Supply: supplyTemplates,
  'Coin days': coinDayTemplates,
  Network: networkTemplates,
  Cycles: cycleTemplates,
  Markets: marketTemplates,
}

export const templates: Readonly<Record<string, ChartTemplate>> = Object.assign({}, ...Object.values(templateGroups))
