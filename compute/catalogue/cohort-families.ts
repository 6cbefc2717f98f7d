import { servedCohorts } from '#contract/served-cohorts.ts'
import { type Cohort, type CohortId, isDayOld, sameCoins } from '../cohorts/cohorts.ts'
import { type CohortWords, cohortWords } from './cohort-words.ts'
import { type CategoryMetric, defineMetrics, type MetricRow } from './definition.ts'
import { cohortMetricId, fillFormula, idWith, type MeasureId, measures, measuresOf } from './measures.ts'
import { spendingMeasures } from './spending-measures.ts'

/** Cohorts whose measures are all columns of their category's table. */
const holders: ReadonlySet<string> = new Set(['all', 'lth', 'sth'])
/** Measures of age bands that are columns of that table too. */
const bandMeasures: ReadonlySet<MeasureId> = new Set([
  'supply',
  'supply_percent',
  'realized_cap',
  'realized_cap_percent',
  'realized_price',
])

/** Variants of measures of coins by size, script type or origin; docs/pricing.md has all errors. */
const youngShare =
  'If valued by the hour, coins spent on the day of their creation or the day after have the mean values of all such coins that were spent in the same hour and created the day before, earlier on the day or in that hour: at most 0.1 % from their own values on the median day of a simulated chain.'
const meanAge =
  'Coins have the mean age of all coins that were created and spent on the same two days: 0.2 % from their own ages on the median day of a simulated chain.'
const kindVariant = (id: MeasureId, minAge: number): string | undefined =>
  id === 'coindays_destroyed' || id === 'dormancy' ? meanAge : minAge === 0 && isValuedFlow(id) ? youngShare : undefined

const isValuedFlow = (id: MeasureId): boolean =>
  spendingMeasures.some((measure) => measure.id === id && measure.category === 'profit_and_loss') ||
  id === 'spent_volume_usd'

export const cohortFamilies = (
  cohorts: readonly Cohort[],
  words: (cohort: Cohort) => CohortWords = cohortWords,
): CategoryMetric[] =>
  cohorts.flatMap((cohort) =>
    measuresOf(cohort)
      .filter(({ sameAfterDay }) => sameAfterDay === undefined || !isDayOld(cohort.id))
      .map((measure) => defineMetric(cohort, measure, words(cohort))),
  )

type Measure = (typeof measures)[number]

function defineMetric(cohort: Cohort, measure: Measure, { coins, label }: CohortWords): CategoryMetric {
  const own = (other: string): string => cohortMetricId(cohort.id, other)
  const { id, category, name, description, unit, style, scale, variant, source, field } = measure
  const told = (cohort.kind === 'coins' && kindVariant(id, cohort.minAge)) || variant
  const row: MetricRow = {
    ...(measure.formula === undefined
      ? { from: { table: 'cohorts', column: measure.id, key: cohort.id }, kind: measure.kind }
      : { formula: fillFormula(measure.formula, own) }),
    unit,
    ...(style && { style }),
    ...(scale && { scale }),
    ...(told && { variant: told }),
    ...(source && { source }),
    id: own(id),
    name: cohort.id !== 'all' ? `${name} of ${label}` : id === 'supply' ? 'Circulating supply' : name,
    description: description.replace('{coins}', coins).replaceAll(/,([.,:])/g, '$1'),
    related: relatives(cohort.id, id),
    aliases: otherIds(cohort, measure),
  }
  const [definition] = defineMetrics(category, [row])
  if (!definition) throw new Error(`no definition of ${row.id}`)
  const served = servedCohorts.find((band) => band === cohort.id)
  if (holders.has(cohort.id) || (served && cohort.kind === 'age' && bandMeasures.has(id))) {
    return field === undefined ? definition : { ...definition, field: idWith(cohort.id, field) }
  }
  const place = served
    ? ({ endpoint: `cohort/metrics/${served}`, field: id } as const)
    : ({ endpoint: 'series', field: row.id } as const)
  return { ...definition, ...place, table: 'cohorts', column: id, cohort: cohort.id }
}

/** Ids with other names of the measure, equal measures, and other names of the same coins. */
function otherIds(cohort: Cohort, { id, field }: Measure): string[] {
  const same = isDayOld(cohort.id) ? measures.filter(({ sameAfterDay }) => sameAfterDay === id) : []
  const called = [id, ...(field ? [field] : []), ...same.map((measure) => measure.id)]
  const names = [cohort.id, ...(cohort.kind === 'coins' ? cohort.aliases : [])]
  const other = cohort.kind === 'coins' ? undefined : sameCoins[cohort.id]
  const all = [...names, ...(other ? [other] : [])].flatMap((name) => called.map((measure) => idWith(name, measure)))
  return all.filter((one) => one !== cohortMetricId(cohort.id, id))
}

/** The same measure of all coins, or of long-term and short-term holders. */
function relatives(cohort: string, measure: MeasureId): string[] {
  if (measure === 'created_outputs') return ['outputs']
  const others: readonly CohortId[] = cohort === 'lth' ? ['all', 'sth'] : cohort === 'sth' ? ['all', 'lth'] : ['all']
  const near: readonly CohortId[] = cohort === 'all' ? ['lth', 'sth'] : others
  return near.map((id) => cohortMetricId(id, measure))
}
