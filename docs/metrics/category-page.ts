import type { MetricDefinition } from '#compute/catalogue/definition.ts'
import { cohortMetricId, measures, measuresOf } from '#compute/catalogue/measures.ts'
import { type Category, metricTables } from '#contract/tables/metrics.ts'
import { zonesByMetric } from '#contract/zones.ts'
import { showsOnly } from '#render/request/template.ts'
import { templates } from '#render/request/templates.ts'
import { catalogue, cohorts, linkTo, type MetricKind, metricKinds } from './metric-kinds.ts'

export const categoryTitles: Readonly<Record<Category, string>> = {
  market: 'Market',
  supply: 'Supply',
  valuation: 'Valuation',
  profit_and_loss: 'Profit and loss',
  coin_days: 'Coin days and spending',
  blockchain: 'Blockchain and mining',
  addresses: 'Addresses',
  distribution: 'Cost basis distribution',
  cycles: 'Cycles',
  derivatives: 'Derivatives',
  etfs: 'Exchange-traded funds',
  treasuries: 'Treasuries',
}

const tierNames = ['', 'tier pro', 'tier enterprise']
const keyWords = { exchange: 'exchanges', fund: 'funds', entity: 'entities', pool: 'pools' } as const
const measuresById = new Map(
  cohorts
    .flatMap((cohort) => measuresOf(cohort).map(({ id }) => [cohortMetricId(cohort.id, id), id] as const))
    .reverse(),
)

/** The differing parts of the ids of a kind, and the pattern around them. */
interface IdPattern {
  readonly pattern: string
  readonly names: readonly string[]
}

/**
 * The page of a category: each kind of metric with its definition, formula, SQL and API address.
 */
export function categoryPage(category: Category): string {
  const kinds = metricKinds.filter(({ shown }) => shown.category === category)
  const [first] = kinds
  const { name: table, holds } = metricTables[`metrics_${category}`]
  const tier = tierNames[first!.shown.grade]!
  const lists = new Map(kinds.flatMap((kind) => (isKeyed(kind) ? [[listNames(kind), kind.by] as const] : [])))
  return `${[
    `# ${categoryTitles[category]}`,
    `${capital(holds)}. This page is generated from the catalogue (\`npm run docs:text\`); [Metrics](README.md) explains the words that it uses.`,
    `A metric without a cohort is a column of the table \`${table}\`, for example:`,
    `\`\`\`sql
SELECT date, ${first!.shown.id} FROM 'data/published/current/${table}.parquet' ORDER BY date DESC LIMIT 7;
\`\`\``,
    `The API answers any metric, and several at once${tier && `, here with a key of ${tier}`}:`,
    `\`\`\`sh
curl ${tier && "-H 'Authorization: Bearer cs_…' "}'http://127.0.0.1:3000/v1/series?metrics=${first!.shown.id}&limit=7'
\`\`\``,
    ...[...lists].map(
      ([list, by]) =>
        `The ${keyWords[by]} are ${list}${by === 'entity' ? ', the ids of the table `treasury_registry`' : ''}.`,
    ),
    ...kinds.map(entry),
  ].join('\n\n')}\n`
}

type KeyedKind = MetricKind & { readonly by: keyof typeof keyWords }
const isKeyed = (kind: MetricKind): kind is KeyedKind => kind.by !== undefined && kind.by in keyWords

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
const code = (text: string): string => `\`${text}\``
const listNames = (kind: MetricKind): string => formatNames(findIdPattern(kind).names)

/** Names, or the first and last of consecutive numbers. */
function formatNames(names: readonly string[]): string {
  const isRow = names.length > 2 && names.every((name, i) => Number(name) === Number(names[0]) + i)
  return isRow ? `${code(names[0]!)} to ${code(names.at(-1)!)}` : names.map(code).join(', ')
}

function entry(kind: MetricKind): string {
  const { shown, by } = kind
  const period = shown.kind === 'rate' && shown.aggregate !== 'formula' && `by period: ${shown.aggregate}`
  const facts = [shown.dimension, shown.kind, period, by ? `by ${by}` : '', tierNames[shown.grade] ?? ''].filter(
    Boolean,
  )
  return [
    `<a id="${shown.id}"></a>\n\n### ${shown.name} (\`${shown.id}\`)`,
    `*${facts.join(' · ')}*`,
    [
      shown.description,
      shown.variant && `*Here:* ${shown.variant}`,
      shown.source && `*From:* ${shown.source}.`,
      shown.aliases.length > 0 && `*Elsewhere:* ${shown.aliases.join(', ')}.`,
    ]
      .filter((text) => text)
      .join(' '),
    formatFormula(shown),
    formatZones(shown.id),
    formatMembers(kind),
    formatAccess(shown),
    pictureLink(shown),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

/** The evaluated formula. For shares of all coins, always 100 %, that of long-term holders. */
function formatFormula(shown: MetricDefinition): string | undefined {
  if (shown.formula === undefined) return undefined
  const isShareOfItself = /\b(\w+) \/ \1\b/.test(shown.formula)
  const measure = measuresById.get(shown.id)
  const explained =
    isShareOfItself && measure ? catalogue.definitions.find(({ id }) => id === cohortMetricId('lth', measure))! : shown
  const references = [...(catalogue.formulas.get(explained.id)?.references.keys() ?? [])]
  const links = references.map((id) => `[${id}](${linkTo(id).replace(`${shown.category}.md#`, '#')})`)
  const made = links.length > 0 ? `, made of ${links.join(', ')}` : ''
  return `${code(`${explained.id} = ${explained.formula}`)}${made}.`
}

function formatZones(id: string): string | undefined {
  const zones = zonesByMetric.get(id)
  return zones && `*Usual zones:* ${zones.texts.join('; ')}. *Source:* ${zones.source.replace(/, (https.*)/, ', <$1>')}`
}

function formatMembers(kind: MetricKind): string | undefined {
  const { shown, members, by } = kind
  if (by === undefined) return undefined
  if (by === 'cohort') {
    const measure = measuresById.get(shown.id)!
    const { sameAfterDay } = measures.find(({ id }) => id === measure)!
    if (!members.some(({ id }) => id === cohortMetricId('all', measure))) {
      const example = code(cohortMetricId('p2tr', measure))
      return `Of every [cohort](cohorts.md) by size, script type or origin: ${example} and so on, ${members.length} in all.`
    }
    if (sameAfterDay) {
      const [sth, year] = (['sth', 'y2013'] as const).map((cohort) => cohortMetricId(cohort, measure))
      const rest = `the same as ${code(sameAfterDay)} for all other cohorts, where both ids answer`
      return `Also of every [cohort](cohorts.md) with coins of the day: ${code(sth!)}, ${code(year!)} and so on, ${members.length} in all; ${rest}.`
    }
    const [lth, band] = (['lth', '1y_2y'] as const).map((cohort) => cohortMetricId(cohort, measure))
    return `Also of every [cohort](cohorts.md): ${code(lth!)}, ${code(band!)} and so on, ${members.length} in all.`
  }
  const { pattern, names } = findIdPattern(kind)
  if (isKeyed(kind)) return `There is one of each ${by}: ${code(pattern)}, ${members.length} in all.`
  return `The ids are ${code(pattern)} for ${formatNames(names)}.`
}

/** The SQL statement and API address that read a metric. */
function formatAccess({ id, table, column, endpoint, field, cohort }: MetricDefinition): string {
  const isSeries = table.startsWith('metrics_') || cohort !== undefined
  const address = isSeries ? `/v1/series?metrics=${id}` : `/v1/${endpoint}?fields=${field}`
  const only = cohort === undefined ? '' : ` WHERE cohort = '${cohort}'`
  return `SQL: ${code(`SELECT date, ${column} FROM 'data/published/current/${table}.parquet'${only}`)} · API: ${code(address)}`
}

function findIdPattern({ members, by }: MetricKind): IdPattern {
  const ids = members.map(({ id }) => id)
  const minLength = Math.min(...ids.map((id) => id.length))
  let before = 0
  while (before < minLength && ids.every((id) => id[before] === ids[0]![before])) before++
  // Names begin at a word, and numbers stay whole.
  while (before > 0 && ids[0]![before - 1] !== '_' && !/[a-z]/.test(by === 'number' ? ids[0]![before - 1]! : ''))
    before--
  let after = 0
  while (after < minLength - before && ids.every((id) => id.at(-1 - after) === ids[0]!.at(-1 - after))) after++
  while (after > 0 && /\d/.test(ids[0]!.at(-after)!)) after--
  const names = ids.map((id) => id.slice(before, id.length - after))
  return { pattern: `${ids[0]!.slice(0, before)}<${by}>${ids[0]!.slice(ids[0]!.length - after)}`, names }
}

function pictureLink({ id, name }: MetricDefinition): string | undefined {
  const template = Object.entries(templates).find(([key, one]) => key === id || showsOnly(one, id))
  return template && `![${name}, simulated data](../charts/${template[0]}.png)`
}
