import { declaredCohorts } from '#compute/publish/cohort-table.ts'
import { afterBlocks } from '#contract/tables/after-blocks.ts'
import { categories, metricTables } from '#contract/tables/metrics.ts'
import type { Table } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import { today } from '#contract/tables/today.ts'
import { readStatement } from '#sql/statement.ts'
import { withTable } from './generated-table.ts'

const family = 'metrics_<category>'
const isMetricTable = ({ name }: Table): boolean => name in metricTables

/** All tables; those of the categories share one entry. */
const tableEntries = Object.values<Table>(tables).filter(
  (table) => !isMetricTable(table) || table.name === metricTables.metrics_market.name,
)

/** Updates the list of tables in docs/analyse.md. */
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

/**
 * Updates the statement of `day_hashes` in docs/verification.md: over published files, and some
 * days.
 */
export const withDayHashes = (page: string): string =>
  page.replace(/```sql\n-- day_hashes[^`]*```/, () => {
    const statement = readStatement('day-hashes')
      .replaceAll(/FROM (flows|blocks|days|prices|cohorts)\b/g, "FROM 'data/published/current/$1.parquet'")
      .replace(/WHERE date > getvariable.*/, "WHERE date BETWEEN '2021-11-08' AND '2021-11-10'")
    return `\`\`\`sql\n${statement}\`\`\``
  })

/** docs/tables.md. */
export const tablesPage = (): string =>
  [
    introduction,
    `${tableEntries.map((table) => `[\`${displayName(table)}\`](#${table.name})`).join(', ')}: [what each holds](analyse.md#the-tables).`,
    ...tableEntries.map((table) => (isMetricTable(table) ? familySection() : section(table))),
    liveSection,
    section(today),
    keptSection,
    section(afterBlocks),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')

const introduction = `# Tables

Every table of a generation, \`data/published/current/<table>.parquet\`. Before publication, each table is checked against its
declaration in \`contract/tables\`: names, types and order of columns, and no NULL in columns that do not allow it. This page is
generated from the declarations (\`npm run docs:text\`).

- Dates are UTC days; daily tables contain closed days only. A block belongs to the day of the highest header time up to and
  including its own (“monotone time”): a block stamped ahead of midnight opens the new day, and the blocks after it stay in it.
- Columns in satoshis are \`BIGINT\`, exact, and named \`…_sats\`. Every other amount is \`DOUBLE\` in the stated unit.
- Ratios are fractions; percentages are in percent. NULL is a value that does not exist or is unknown.
- Each file contains these descriptions: as metadata of each field for readers of Arrow, and as JSON under the key \`coinstrata\`.
- Later versions may add columns at the end of a table: name the columns that you read.`

const liveSection = `# Beside the generations

While Coinstrata follows the node (\`FOLLOW=on\`, or \`coinstrata follow\`), \`data/published/live/today.parquet\` has the single row of
\`today\`. It is replaced after each block, and when prices or the published days change; a reorganisation corrects it.
\`as_of_height\` and \`updated_at\` show its age. Metrics have the same names and formulas as in the daily tables: at the close of the
day, after its last block, their values are those that the nightly run publishes.`

const keptSection = `Beside it are the kept rows of the table \`after_blocks\`: a file per day, \`after-blocks-<date>-….parquet\` with the row after each
block of the last 14 days, and \`after-hours-<date>-….parquet\` with the row after the last block of each hour of earlier days. They begin
when the node is first followed, and no update fills them in. A file is replaced after each block of its day: its name has the date, the number
of its rows, when it was written, and its SHA-256; the newest of a date counts. Rows of blocks that a reorganisation removes are dropped. Each metric whose \`intervals\` in the
table \`catalogue\` have \`block\` is a column of its id, with the unit and type that it has in its daily table. [How to ask for them](api.md#hours-and-blocks).`

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
    `| column | type | unit | NULL | description |\n|---|---|---|---|---|\n${rows.join('\n')}`,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

function heading(table: Table): string {
  const names = (columns: readonly string[]): string => columns.map((name) => `\`${name}\``).join(', ')
  const [key, by] = [table.key, table.sortedBy].map(names)
  const order = by === key ? 'sorted by it' : by ? `sorted by ${by}` : 'in the order of the catalogue'
  return `<a id="${table.name}"></a>\n\n## ${displayName(table).replace('<', '&lt;')}

One row for each ${table.rowFor}: ${describeContents(table)}. Key: ${key}; ${order}.`
}

function familySection(): string {
  const rows = categories.map((category) => {
    const { name, holds } = metricTables[`metrics_${category}`]
    return `| \`${name}\` | ${holds} | [metrics](metrics/${category}.md) |`
  })
  return `${heading(metricTables.metrics_market)}

The first column is \`date\`. Each other column has the name, unit and description of its metric, which the table \`catalogue\`
lists with the table and column of every metric. Metrics in satoshis are \`BIGINT\` and never NULL; counts that are read
and not computed are \`BIGINT\`; all others are \`DOUBLE\`.

| table | holds | its columns |
|---|---|---|
${rows.join('\n')}`
}
