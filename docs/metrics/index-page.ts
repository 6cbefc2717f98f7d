import { cohortWords } from '#compute/catalogue/cohort-words.ts'
import { cohortMetricId } from '#compute/catalogue/measures.ts'
import { formulaFunctionDescriptions, formulaWords } from '#contract/formula-language.ts'
import { type MetricAggregate, metricAggregates } from '#contract/metric-kinds.ts'
import { categories } from '#contract/tables/metrics.ts'
import { networks } from '#ingest/chain/networks.ts'
import { categoryTitles } from './category-page.ts'
import { catalogue, cohorts, linkTo, metricKinds } from './metric-kinds.ts'

const formatCount = (count: number): string => count.toLocaleString('en')

/** docs/metrics/README.md: properties of all metrics. */
export function indexPage(): string {
  const contents = categories.map((category) => {
    const kinds = metricKinds.filter(({ shown }) => shown.category === category)
    const count = kinds.reduce((sum, { members }) => sum + members.length, 0)
    return `| [${categoryTitles[category]}](${category}.md) | ${kinds.length} | ${formatCount(count)} |`
  })
  return `# Metrics

There are ${metricKinds.length} measures. Many exist by cohort, exchange, fund, treasury or mining pool, which makes ${formatCount(catalogue.definitions.length)} metrics. A metric is
either *read*, from blocks or from market data, or *derived*: computed by a formula over other metrics. The formula shown is the one that is
evaluated. The table \`catalogue\` of each generation has the same definitions, with the day
of the first value. The pages describe mainnet; on the simulated chain a halving comes every ${formatCount(networks.simulated.halvingInterval)} blocks.

| category | measures | metrics |
|---|---|---|
${contents.join('\n')}

[All measures](all.md) lists them by id, [cohorts](cohorts.md) lists the sets of coins, [formulas](formulas.md) explains the language of formulas, [history](history.md) has every change of a definition, and
[agreement](../agreement.md) compares the values with those of other vendors.

## What holds for all

- **Days.** A day is a UTC day, and its values are those after its last block. Only complete days are published. A block counts to the day of the
  highest header time up to and including its own (“monotone time”). So a block that is stamped ahead of midnight opens the new day.
- **Price.** \`price\` is the daily close in US dollars. What coins cost and what spends are worth follows the price of the hour if it is known,
  and the close of the day otherwise: [pricing](../pricing.md). Coins from before the first market, on 2010-07-17, cost 0.
- **Age.** The age of a coin is counted in whole days. Long-term holders are coins aged 155 days or more.
- **Units.** Rates and ratios are fractions. Percentages have an id that says so (\`…_percent\`); the volatilities (\`realized_vol_…\`) are percentages too.
- **No value.** A value that does not exist is null: before the first price, while a window is not full, after a division by zero.
- **Kinds.** A *level* holds at the end of the day, such as a price or a supply. A *flow* happened during the day and adds up over days, such as fees. A
  *rate* happened during the day and does not add up, such as a mean fee or SOPR.
- **Weeks, months and years.** If you ask the API, a chart or a tool for weeks (from Monday), months or years, a level is its last known value, a flow the sum of its days, and
  a ratio its formula over the period: SOPR of a month is what the coins spent in it were worth over what they had cost. [Below](#weeks-months-and-years) is the rule, with all exceptions;
  \`aggregate\` chooses another. Days without a value are left out. A period is dated by its newest day. It is
  whole at its beginning, wherever the dates that you ask for begin. The newest period has the days so far. If a period began
  before the history of a tier, it has only levels.
- **Tables.** Each category is a table \`metrics_<category>\` with a column per metric. Of the measures by cohort it has those of all
  coins, of long-term and short-term holders, and the supply and cost of the age bands; the table \`cohorts\` has all.
- **Tiers.** Some metrics need a tier: pro (grade 1) or enterprise (grade 2).

## Weeks, months and years

The field \`aggregate\` of a metric says how the days of a period become one value. It follows from the formula:

- A level (${countOf('last')} metrics) is the \`last\` value, also if it looks back over a window: a moving average, a change over 30 days.
- A flow (${countOf('sum')}) is the \`sum\`.
- A combination of flows (${countOf('formula')}) is its \`formula\` over the period. Flows enter it by their mean per day, so a ratio of two flows is that of their sums, and what is per day, such as NVT
  or the block interval, remains per day. Levels enter by their last value. Days on which a flow of the formula is not known are left out. A zero denominator gives null.
- The \`mean\` of the days is what compares a flow or a rate with the level of its own day (\`volume / market_cap\`) or one day with others, and what is measured by day and does not add up, such as a median.

A formula of yours follows the same rule. These measures are not the last value, the sum or the formula:

| \`aggregate\` | measures |
|---|---|
${exceptions.join('\n')}

\`counts\` adds up the blocks of each pool over the period.
`
}

const countOf = (wanted: MetricAggregate): string =>
  formatCount(catalogue.definitions.filter(({ aggregate }) => aggregate === wanted).length)

const exceptions = metricAggregates.flatMap((one) => {
  const kinds = metricKinds.filter(({ shown }) => shown.aggregate === one)
  const links = kinds.map(({ shown: { id } }) => `[\`${id}\`](${linkTo(id)})`)
  return ['last', 'sum', 'formula'].includes(one) || links.length === 0 ? [] : [`| \`${one}\` | ${links.join(', ')} |`]
})

/** docs/metrics/all.md: an index of all measures by id. */
export function allPage(): string {
  const rows = metricKinds
    .toSorted((a, b) => a.shown.id.localeCompare(b.shown.id, 'en'))
    .map(({ shown, by }) => `| [\`${shown.id}\`](${linkTo(shown.id)}) | ${shown.name} |${by ? ` by ${by}` : ''} |`)
  return `# All measures

| id | name | |
|---|---|---|
${rows.join('\n')}
`
}

/** docs/metrics/cohorts.md. */
export function cohortsPage(): string {
  const rows = cohorts.map(
    (cohort) =>
      `| \`${cohort.id}\` | ${cohortWords(cohort).coins.replace(/,$/, '')} | \`${cohortMetricId(cohort.id, 'mvrv')}\` |`,
  )
  return `# Cohorts

Every measure marked “by cohort” exists for each of these sets of coins. Creation years end with the current one,
halving epochs with the running one. The table \`cohorts\` has all measures of all cohorts, with a row for each day and cohort.

\`\`\`sql
SELECT date, cohort, supply, mvrv
FROM 'data/published/current/cohorts.parquet' WHERE cohort IN ('lth', 'sth') ORDER BY date DESC LIMIT 4;
\`\`\`

\`\`\`sh
curl 'http://127.0.0.1:3000/v1/series?metrics=lth_mvrv,sth_mvrv&limit=2'
\`\`\`

| cohort | its coins | MVRV, for example |
|---|---|---|
${rows.join('\n')}
`
}

/** docs/metrics/formulas.md. */
export function formulasPage(): string {
  const words = formulaWords.map(({ signature, description }) => [signature, description] as const)
  const rows = [...words, ...Object.entries(formulaFunctionDescriptions)].map(
    ([signature, description]) => `| \`${signature}\` | ${description} |`,
  )
  return `# Formulas

Derived metrics, charts and \`/v1/series?formula=\` share one language. A formula is made of metrics, numbers, \`+ - * / ^\`, comparisons (1 if true, 0 if not), and
the words and functions below. A value that does not exist is null, and so is what is computed from it. A window of n values needs all n.

| function | value |
|---|---|
${rows.join('\n')}
`
}
