import { isoDate } from '#base/days.ts'
import type { CatalogueIndex } from '../data/catalogue.ts'
import { type ChartOptions, metricIds } from './chart-options.ts'

export interface Snippet {
  readonly name: string
  readonly text: string
}

export function createSnippets(
  options: ChartOptions,
  title: string,
  service: string,
  index: CatalogueIndex | undefined,
): Snippet[] {
  const ids = metricIds(options)
  const [formula] = options.formulas ?? []
  const expression = formula && expand(formula.expression, ids)
  const query = new URLSearchParams()
  if (ids.length > 0) query.set('metrics', ids.join())
  if (expression !== undefined) query.set('formula', expression)
  if (options.start_date !== undefined) query.set('start_date', isoDate(options.start_date))
  else query.set('limit', '10000')
  const address = `${service}/v1/series?${decodeURIComponent(query.toString().replaceAll('+', '%20'))}`
  const tables = index && toSql(ids, index)
  return [
    { name: 'curl', text: `curl '${address.replaceAll(' ', '%20').replaceAll("'", '%27')}&format=csv'` },
    {
      name: 'Python',
      text: `import pandas as pd\n\ndata = pd.read_csv(\n    "${address.replaceAll(' ', '%20').replaceAll('"', '%22')}&format=csv",\n    parse_dates=["date"], index_col="date",\n).sort_index()`,
    },
    ...(tables ? [{ name: 'SQL', text: tables }] : []),
    {
      name: 'Assistant',
      text: `With the Coinstrata tools at ${service}/mcp: show me ${title}, explain what the newest value means compared with its own history, and draw the chart.`,
    },
  ]
}

/** Replaces `m1` by the id of the first metric, and so on. */
const expand = (expression: string, ids: readonly string[]): string =>
  expression.replaceAll(/\bm(\d+)\b/g, (place, number) => ids[Number(number) - 1] ?? place)

/** A query that joins the published Parquet files by date. */
function toSql(ids: readonly string[], { byId }: CatalogueIndex): string | undefined {
  const metrics = ids.flatMap((id) => byId.get(id) ?? [])
  if (metrics.length === 0 || metrics.length < ids.length) return undefined
  const files = [...new Set(metrics.map(({ category }) => category))]
  const [first, ...others] = files.map((category) => `'data/published/current/metrics_${category}.parquet'`)
  const joins = others.map((file) => `\nJOIN ${file} USING (date)`).join('')
  return `SELECT date, ${metrics.map(({ id }) => id).join(', ')}\nFROM ${first}${joins}\nORDER BY date`
}

/** For double-quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
