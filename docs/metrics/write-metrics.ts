import { categories } from '#contract/tables/metrics.ts'
import { replaceFile } from '#sql/files.ts'
import { categoryPage } from './category-page.ts'
import { cohortsPage, formulasPage, indexPage } from './index-page.ts'

/** The pages of docs/metrics by the names of their files. */
export const metricsPages: Readonly<Record<string, () => string>> = {
  'README.md': indexPage,
  'cohorts.md': cohortsPage,
  'formulas.md': formulasPage,
  ...Object.fromEntries(categories.map((category) => [`${category}.md`, () => categoryPage(category)])),
}

if (import.meta.main) {
  for (const [name, page] of Object.entries(metricsPages)) {
    replaceFile(new URL(name, import.meta.url).pathname, page())
  }
}
