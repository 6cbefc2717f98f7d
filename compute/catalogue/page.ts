import { formulaWords } from '#contract/formula-language.ts'
import { type Category, categories } from '#contract/tables/metrics.ts'
import { formulaFunctions } from '#sql/formula/functions.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { Catalogue } from './catalogue.ts'
import { cohortWords } from './cohort-words.ts'
import type { MetricDefinition } from './definition.ts'
import { measures, metricId } from './measures.ts'

const titles: Readonly<Record<Category, string>> = {
  market: 'Market',
  supply: 'Supply',
  valuation: 'Valuation',
  profit_and_loss: 'Profit and loss',
  coin_days: 'Coin days and spending',
  blockchain: 'Blockchain and mining',
  distribution: 'Cost basis distribution',
  cycles: 'Cycles',
  derivatives: 'Derivatives',
  etfs: 'Exchange-traded funds',
  treasuries: 'Treasuries',
}

const gradeNames = ['basic', 'pro', 'enterprise']

/** Metrics that differ in one thing alone, such as the cohort or the exchange: shown once, with the ids of all. */
interface Entry {
  readonly shown: MetricDefinition
  readonly ids: readonly string[]
  readonly of: string | undefined
}

const keyNames: Readonly<Record<string, string>> = {
  funding: 'exchange',
  open_interest: 'exchange',
  etf: 'fund',
  treasuries: 'entity',
}

/** docs/metrics.md: every metric by category, with its formula, whose metrics are links. */
export function metricsPage({ definitions, formulas }: Catalogue, cohorts: readonly Cohort[]): string {
  const entries = entriesOf(definitions, cohorts)
  const anchors = new Map(entries.flatMap(({ shown, ids }) => ids.map((id) => [id, shown.id] as const)))
  const sections = categories.map((category) => {
    const own = entries.filter(({ shown }) => shown.category === category)
    const metricCount = own.reduce((count, { ids }) => count + ids.length, 0)
    return { category, own, metricCount }
  })
  const contents = sections.map(
    ({ category, own, metricCount }) =>
      `- [${titles[category]}](#${category}): ${own.length} kinds, ${metricCount} metrics`,
  )
  const linked = (definition: MetricDefinition): string => linkedFormula(definition, formulas, anchors)
  return [
    introduction(definitions.length),
    contents.join('\n'),
    cohortSection(cohorts),
    functionSection(),
    ...sections.map(({ category, own }) =>
      [`<a id="${category}"></a>\n\n## ${titles[category]}`, ...own.map((entry) => entryText(entry, linked))].join(
        '\n\n',
      ),
    ),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
}

const introduction = (count: number): string =>
  `# Metrics

All ${count} metrics, with the definitions by which they are computed: the formula shown is the very one that is
evaluated. This page is generated from the catalogue (\`npm run docs\`); each generation carries the same definitions in
its table \`catalogue\`, with the day of the first value.

- A day is a UTC day, and its values are those after its last block. Only complete days are published.
  A block counts to the day of the highest header time up to and with its own (“monotone time”): one that is stamped ahead of
  midnight opens the new day, in which those after it stay, and closes the day before.
- \`price\` is the daily close in US dollars. What coins cost and spends are worth follows the price of the hour where it is known,
  and the close of the day elsewhere: [pricing.md](pricing.md). Coins from before the first market, on 2010-07-17, cost 0.
- The age of a coin is counted in whole days. Long-term holders are coins aged 155 days or more.
- Rates and ratios are fractions. In percent are metrics whose id says so (\`…_percent\`), and the volatilities (\`realized_vol_…\`).
- A value that does not exist is null: before the first price, while a window is not full, after a division by zero.
- A *level* holds at the end of the day, such as a price or a supply; a *flow* happened during the day and adds up over days, such as fees; a *rate*
  happened too and does not add up, such as a mean fee or SOPR. Where weeks (from Monday) or months are asked for, of the API, of charts
  or of the tools, levels are their last known value, flows the sum and rates the mean of the days (\`open\` is the first, \`high\` the greatest, \`low\` the least);
  \`aggregate\` takes another. Days without a value count for nothing. A period stands at its newest day and is whole at its beginning, wherever the dates asked
  for begin; the newest one is open until its last day is published, and is made of the days so far. Of a period that began before the
  history of a tier there are no sums and means.
- Each category is a table \`metrics_<category>\` with a column per metric. Of the measures by cohort it has those of all
  coins, of long-term and of short-term holders, and the supply and cost of the age bands; the table \`cohorts\` has all.
- Who may read a metric is given where it is not everyone: pro (grade 1) and enterprise (grade 2).`

function cohortSection(cohorts: readonly Cohort[]): string {
  const rows = cohorts.map(
    (cohort) =>
      `| \`${cohort.id}\` | ${cohortWords(cohort).coins.replace(/,$/, '')} | \`${metricId(cohort.id, 'mvrv')}\` |`,
  )
  return `## Cohorts

Every measure marked “by cohort” exists for each of these sets of coins. The creation years go on to the current one, the
halving epochs to the running one. All measures of all cohorts stand in the table \`cohorts\`.

| cohort | its coins | MVRV, for example |
|---|---|---|
${rows.join('\n')}`
}

function functionSection(): string {
  const rows = [...formulaWords, ...formulaFunctions.values()].map(
    ({ signature, description }) => `| \`${signature}\` | ${description} |`,
  )
  return `## Functions in formulas

Formulas are made of metrics, numbers, \`+ - * / ^\`, comparisons (1 if true, 0 if not) and these words and functions.

| function | value |
|---|---|
${rows.join('\n')}`
}

/** With so many metrics that differ in a number alone, such as the days of a mean, one is shown for all. */
const fewestAlike = 9
const withoutNumbers = (id: string): string => id.replaceAll(/\d+/g, '#')

function entriesOf(definitions: readonly MetricDefinition[], cohorts: readonly Cohort[]): Entry[] {
  const families = new Map(
    measures.flatMap(({ id }) => cohorts.map((cohort) => [metricId(cohort.id, id), `cohort ${id}`] as const)),
  )
  const alike = new Map<string, number>()
  for (const { id } of definitions) alike.set(withoutNumbers(id), (alike.get(withoutNumbers(id)) ?? 0) + 1)
  const familyOf = ({ id, from }: MetricDefinition): string => {
    const numbered = withoutNumbers(id)
    if (!families.has(id) && !from?.key && (alike.get(numbered) ?? 0) >= fewestAlike) return numbered
    const keyed = from?.key !== undefined && keyNames[from.table] !== undefined
    return families.get(id) ?? (keyed ? `${from.table} ${from.column}` : id)
  }
  return [...Map.groupBy(definitions, familyOf)].map(([family, members]) => {
    const shown = members[0]!
    const one = family.startsWith('cohort ') ? 'cohort' : (keyNames[shown.from?.table ?? ''] ?? 'number')
    return { shown, ids: members.map(({ id }) => id), of: members.length > 1 ? one : undefined }
  })
}

function entryText({ shown, ids, of }: Entry, linked: (definition: MetricDefinition) => string): string {
  const grade = shown.grade === 0 ? '' : ` · ${gradeNames[shown.grade]}`
  const lines = [
    `<a id="${shown.id}"></a>**${shown.name}** · \`${shown.id}\` · ${shown.unit} · ${shown.kind}${of ? ` · by ${of}` : ''}${grade}<br>`,
    [
      shown.description,
      shown.variant && `*Here:* ${shown.variant}`,
      shown.source && `*From:* ${shown.source}.`,
      shown.aliases.length > 0 && `*Elsewhere:* ${shown.aliases.join(', ')}.`,
    ]
      .filter((text) => text)
      .join(' '),
  ]
  if (shown.formula !== undefined) lines.push(`<br><code>${linked(shown)}</code>`)
  if (of)
    lines.push(
      `<details><summary>All ${ids.length}</summary>${ids.map((id) => `<code>${id}</code>`).join(' ')}</details>`,
    )
  return lines.join('\n')
}

/** The formula with a link for every metric in it. */
function linkedFormula(
  { id, formula = '' }: MetricDefinition,
  formulas: Catalogue['formulas'],
  anchors: ReadonlyMap<string, string>,
): string {
  const references = formulas.get(id)?.references
  return formula.replaceAll(/[a-z][a-z0-9_]*|[<>&]/g, (word) => {
    if (word === '<') return '&lt;'
    if (word === '>') return '&gt;'
    return references?.has(word) ? `<a href="#${anchors.get(word)}">${word}</a>` : word
  })
}
