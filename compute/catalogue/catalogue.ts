import { satsToBtc } from '#base/bitcoin.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { orderDefinitions } from '#sql/formula/order.ts'
import type { Formula } from '#sql/formula/parse.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import { scheduledSats } from '../scheduled-sats.ts'
import { addresses } from './addresses-metrics.ts'
import { blockchain } from './blockchain-metrics.ts'
import { cohortFamilies } from './cohort-families.ts'
import { coinDays } from './coin-days.ts'
import { cycleMetrics } from './cycle-metrics.ts'
import { defineMetrics, type MetricDefinition, withKinds } from './definition.ts'
import { derivatives } from './derivatives.ts'
import { distribution, distributions } from './distribution.ts'
import { etfs } from './etfs.ts'
import { market } from './market-metrics.ts'
import { purchasesSince } from './moving-averages.ts'
import { profitAndLoss } from './profit-and-loss.ts'
import { supplyMetrics } from './supply-metrics.ts'
import { treasuries } from './treasuries-metrics.ts'
import { valuation } from './valuation-metrics.ts'

export interface Catalogue {
  readonly definitions: readonly MetricDefinition[]
  readonly formulas: ReadonlyMap<string, Formula>
}

let latest: { readonly of: string; readonly catalogue: Catalogue } | undefined

/** Caches the latest catalogue: cohorts change once a year. */
export function createCatalogue(network: Network, cohorts: readonly Cohort[]): Catalogue {
  const of = JSON.stringify([network, cohorts])
  if (latest?.of !== of) latest = { of, catalogue: makeCatalogue(network, cohorts) }
  return latest.catalogue
}

function makeCatalogue(network: Network, cohorts: readonly Cohort[]): Catalogue {
  const metrics = [
    ...defineMetrics('market', market),
    ...defineMetrics('market', purchasesSince(pricedYears(cohorts))),
    ...cohortFamilies(cohorts),
    ...defineMetrics('supply', supplyMetrics(satsToBtc(scheduledSats(network)))),
    ...defineMetrics('valuation', valuation),
    ...defineMetrics('profit_and_loss', profitAndLoss),
    ...defineMetrics('coin_days', coinDays),
    ...defineMetrics('blockchain', blockchain),
    ...defineMetrics('addresses', addresses),
    ...defineMetrics('distribution', distribution),
    ...defineMetrics('distribution', distributions).map((definition) => ({ ...definition, ...definition.from })),
    ...defineMetrics('cycles', cycleMetrics(network.halvingInterval)),
    ...defineMetrics('derivatives', derivatives),
    ...defineMetrics('etfs', etfs),
    ...defineMetrics('treasuries', treasuries),
  ]
  const texts = metrics.flatMap(({ id, formula }) => (formula === undefined ? [] : [{ id, formula }]))
  const bases = metrics.flatMap(({ id, formula }) => (formula === undefined ? [id] : []))
  const formulas = new Map(orderDefinitions(texts, bases).map(({ id, formula }) => [id, formula]))
  return { definitions: withKinds(metrics, formulas), formulas }
}

/** Years whose first day has a price; prices begin in July 2010. */
const pricedYears = (cohorts: readonly Cohort[]): number[] =>
  cohorts.map(({ id }) => Number(/^y(\d+)$/.exec(id)?.[1])).filter((year) => year > 2010)
