import { declaredCohorts } from '#compute/publish/cohort-table.ts'
import { categories, metricTables } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import { today } from '#contract/tables/today.ts'
import { withTable } from './generated-table.ts'

const family = 'metrics_<category>'
const isMetricTable = ({ columnPer }: Table): boolean => columnPer === 'metric'

/** The tables in their order, those of the categories as one. */
const tableEntries = Object.values<Table>(tables).filter(
  (table) => !isMetricTable(table) || table.name === metricTables.market.name,
)

/** docs/analyse.md with the list of tables in place of the one that it holds. */
export const withTables = (page: string): string =>
  withTable(
    page,
    '| table | one row for each | holds |\n|---|---|---|\n',
    tableEntries.map((table) => {
      if (!isMetricTable(table)) return `| \`${table.name}\` | ${table.rowFor} | ${describeContents(table)} |`
      const names = categories.map((category) => `\`${category}\``).join(', ')
      return `| \`${family}\` | ${table.rowFor} | ${describeContents(table)}: ${names} |`
    }),
  )

/** docs/tables.md: every published table with its columns. */
export const tablesPage = (): string =>
  [
    introduction,
    tableEntries.map((table) => `- [\`${displayName(table)}\`](#${table.name}): ${describeContents(table)}`).join('\n'),
    ...tableEntries.map((table) => (isMetricTable(table) ? familySection() : section(table))),
    liveSection,
    section(today),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')

const introduction = `# Tables

Every table of a generation, \`data/published/current/<table>.parquet\`, as publication holds it against its declaration
in \`contract/tables\`: a table with other names, types or order of columns, or with NULL where a value is declared, is not
published. This page is generated from the declarations (\`npm run docs:text\`).

- Dates are UTC days; daily tables hold closed days only. A block counts to the day of the highest header time up to and with its
  own (“monotone time”): one that is stamped ahead of midnight opens the new day, in which those after it stay.
- Columns in satoshis are \`BIGINT\`, exact, and called \`…_sats\`. Every other amount is \`DOUBLE\` in the stated unit.
- A ratio is a fraction; percent are in percent. NULL is a value that does not exist or is not known.
- Each file carries what stands here: as metadata of each field for readers of Arrow, and for others as JSON under the key \`coinstrata\`.
- New columns may be added at the end of a table by a later version: name the columns that you read.`

const liveSection = `# Beside the generations

While the node is followed (\`FOLLOW=on\`, or \`coinstrata follow\`) \`data/published/live/today.parquet\` has the one row of \`today\`. It is
replaced after each block, and where prices or the published days have changed; a reorganisation corrects it. \`as_of_height\` and \`updated_at\`
tell how old it is. A metric is called as it will be once the day is closed, and is computed by the same formula: after the last
block of the day, at its close, the values are those that the nightly run publishes.`

const displayName = (table: Table): string => (isMetricTable(table) ? family : table.name)

const describeContents = (table: Table): string => {
  if (isMetricTable(table)) return 'a column for each metric of the category'
  return table.setting === undefined ? table.holds : `${table.holds} (only with \`${table.setting}=on\`)`
}

function section(table: Table): string {
  const { columns } = table.name === declaredCohorts.name ? declaredCohorts : table
  const rows = Object.entries(columns).map(
    ([name, { type, unit = '', nullable, description }]) =>
      `| \`${name}\` | ${type} | ${unit} | ${nullable ? 'may be' : ''} | ${description} |`,
  )
  return [
    heading(table),
    table.name === declaredCohorts.name
      ? '[Cohorts](metrics/cohorts.md) lists the cohorts; [metrics](metrics/README.md) has the formulas of the measures.'
      : undefined,
    `| column | type | unit | NULL | what it is |\n|---|---|---|---|---|\n${rows.join('\n')}`,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

function heading(table: Table): string {
  const names = (columns: readonly string[]): string => columns.map((name) => `\`${name}\``).join(', ')
  const order = table.sortedBy.length > 0 ? `sorted by ${names(table.sortedBy)}` : 'in the order of the catalogue'
  return `<a id="${table.name}"></a>\n\n## ${displayName(table).replace('<', '&lt;')}

One row for each ${table.rowFor}: ${describeContents(table)}. Told apart by ${names(table.key)}; ${order}.`
}

function familySection(): string {
  const rows = categories.map((category) => {
    const { name, holds } = metricTables[category]
    return `| \`${name}\` | ${holds} | [metrics](metrics/${category}.md) |`
  })
  return `${heading(metricTables.market)}

The first column is \`date\`. A column is called as its metric, and unit and description are those of the metric: the table
\`catalogue\` has them, with the table and column in which each metric stands. Metrics in satoshis are \`BIGINT\` and never
NULL; counts that are read and not computed are \`BIGINT\`; all else is \`DOUBLE\`.

| table | holds | its columns |
|---|---|---|
${rows.join('\n')}`
}
