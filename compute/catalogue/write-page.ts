import { networks } from '#ingest/chain/networks.ts'
import { dayOf } from '#root/days.ts'
import { replaceFile } from '#sql/files.ts'
import { cohortsOf } from '../cohorts/cohorts.ts'
import { catalogueOf } from './catalogue.ts'
import { metricsPage } from './page.ts'

export const pageFile = new URL('../../docs/metrics.md', import.meta.url).pathname

/** The page for mainnet, with the cohorts that there are in 2026. */
export function currentPage(): string {
  const halvings = ['2009-01-03', '2012-11-28', '2016-07-09', '2020-05-11', '2024-04-20'].map(dayOf)
  const cohorts = cohortsOf({ days: Int32Array.from(halvings) }, 1, dayOf('2026-12-31'))
  return metricsPage(catalogueOf(networks.mainnet, cohorts), cohorts)
}

if (import.meta.main) replaceFile(pageFile, currentPage())
