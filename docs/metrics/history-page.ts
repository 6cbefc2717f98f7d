import { cohortMetricId } from '#compute/catalogue/measures.ts'
import { affectedMetrics, changedMetrics, type MetricChange, metricHistory } from '#compute/catalogue/metric-history.ts'
import { catalogue, cohorts, linkTo } from './metric-kinds.ts'

const kindTitles = { definition: 'Definition', pricing: 'Pricing', id: 'Id', type: 'Type' } as const
const maxNamed = 8
const published = new Set(catalogue.definitions.map(({ id }) => id))
const link = (id: string): string => (published.has(id) ? `[\`${id}\`](${linkTo(id)})` : `\`${id}\``)

/** docs/metrics/history.md: every change of a metric, the newest first. */
export const historyPage = (): string => `# Changes of metrics

Every change of a metric's definition, pricing, id or type since version 1.0.0, the newest first. The table \`metric_history\` has the same, with the ids of all
metrics whose values follow. To see what happened to a metric that you use:

\`\`\`sql
SELECT date, version, kind, change, effect FROM 'data/published/current/metric_history.parquet'
WHERE list_contains(metrics, 'mvrv_z') ORDER BY number DESC;
\`\`\`

Each column of a Parquet file has the [version of its definition](../analyse.md#sql-duckdb), so you can tell whether two files follow the same one. This page is
generated (\`npm run docs:text\`) from \`compute/catalogue/metric-history.ts\`.

${metricHistory.map(entry).reverse().join('\n\n') || 'There are none yet.'}
`

function entry(change: MetricChange, i: number): string {
  const { date, version, kind, metrics, measures = [], cohorts: only, reason, effect } = change
  const shown = [...measures.map((measure) => cohortMetricId(only?.[0] ?? 'all', measure)), ...metrics]
  const named = shown.slice(0, maxNamed).map(link).join(', ')
  const more = shown.length > maxNamed ? ` and ${shown.length - maxNamed} more` : ''
  const ofCohorts =
    measures.length === 0 ? '' : `, for ${only ? only.map((id) => `\`${id}\``).join(' and ') : 'every cohort'}`
  const direct = new Set(changedMetrics(change, cohorts))
  const following = affectedMetrics(change, catalogue.formulas, cohorts).filter((id) => !direct.has(id)).length
  const follow = following > 0 ? `; metrics computed from them: ${following.toLocaleString('en')}` : ''
  return `## ${i + 1}. ${kindTitles[kind]}, ${date} (${version})

${named}${more}${ofCohorts}${follow}.

${change.change} *Why:* ${reason} *Effect:* ${effect}`
}
