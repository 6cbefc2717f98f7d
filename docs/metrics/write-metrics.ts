import { readFileSync } from 'node:fs'
import { metricHistory } from '#compute/catalogue/metric-history.ts'
import { categories } from '#contract/tables/metrics.ts'
import { replaceFile } from '#sql/files.ts'
import { categoryPage } from './category-page.ts'
import { historyPage } from './history-page.ts'
import { allPage, cohortsPage, formulasPage, indexPage } from './index-page.ts'
import { catalogue, metricKinds } from './metric-kinds.ts'
import { parseRecord, recordVersions, versionsFile } from './recorded-versions.ts'

/** Pages by file name in docs/metrics. */
export const metricsPages: Readonly<Record<string, () => string>> = {
  'README.md': indexPage,
  'all.md': allPage,
  'cohorts.md': cohortsPage,
  'formulas.md': formulasPage,
  'history.md': historyPage,
  ...Object.fromEntries(categories.map((category) => [`${category}.md`, () => categoryPage(category)])),
}

/** Updates the numbers of measures and metrics in README. */
export const withCounts = (readme: string): string =>
  readme.replace(
    /There are \d+ measures, [\d,]+ metrics/,
    `There are ${metricKinds.length} measures, ${catalogue.definitions.length.toLocaleString('en')} metrics`,
  )

if (import.meta.main) {
  const recorded = recordVersions(parseRecord(readFileSync(versionsFile, 'utf8')), catalogue, metricHistory)
  replaceFile(versionsFile, `${JSON.stringify(recorded, undefined, 2)}\n`)
  const readme = new URL('../../README.md', import.meta.url).pathname
  replaceFile(readme, withCounts(readFileSync(readme, 'utf8')))
  for (const [name, page] of Object.entries(metricsPages)) {
    replaceFile(new URL(name, import.meta.url).pathname, page())
  }
}
