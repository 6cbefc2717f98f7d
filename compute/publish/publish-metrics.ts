import { createHash } from 'node:crypto'
import { isoDate } from '#base/days.ts'
import type { PublishedPricing } from '#contract/pricing.ts'
import { categories } from '#contract/tables/metrics.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { readColumns } from '#sql/columns.ts'
import type { Relation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type MetricDefinition, metricTableName } from '../catalogue/definition.ts'
import { distributions } from '../catalogue/distribution.ts'
import { cohortMetricId, measuresOf } from '../catalogue/measures.ts'
import type { AddedMetrics } from '../catalogue/own-metrics.ts'
import { listCohortColumns } from '../cohorts/cohort-pass.ts'
import { quantileName } from '../cohorts/cost-distribution.ts'
import { restoreColumns } from '../cohorts/pass-state.ts'
import { writeCatalogueTable, writeHistoryTable } from './catalogue-table.ts'
import { allDays, dayValues, type NewDays, newDates } from './closed-days.ts'
import { writeCohortTable } from './cohort-table.ts'
import { writeCostBasisTable } from './cost-basis-table.ts'
import { describeCostGap } from './cost-gap.ts'
import { cycleStarts, halvingCycles, priceCycles } from './cycle-starts.ts'
import type { Draft } from './draft.ts'
import { recentDays } from './first-published-table.ts'
import type { DailyState } from './flow-pass.ts'
import { gaplessMetrics, requireNoGap } from './gapless.ts'
import { firstKnown, MetricColumns } from './metric-columns.ts'
import { writeMetricTable } from './metric-table.ts'
import { type ComputedTables, type Origins, originColumns } from './origin-columns.ts'
import { addPricingNote } from './pricing.ts'

export interface MetricInputs {
  readonly network: Network
  readonly newDays: NewDays
  /** From the checkpoint before the new days. */
  readonly before: MetricFacts | undefined
  readonly state: DailyState
  readonly days: Relation<'days'>
  readonly prices: Relation<'prices'>
  /** Tables by exchange, fund, entity and pool, and their aggregates. */
  readonly keyed: Origins['stored']
  readonly pricing: PublishedPricing
  readonly own: AddedMetrics
}

/** Facts about metrics up to a day that later days need. */
export interface MetricFacts {
  readonly metricInputs: Readonly<Partial<Record<TableName, string>>>
  /** First day (YYYY-MM-DD) with a value, by metric. */
  readonly firstDates: Readonly<Record<string, string>>
}

interface MetricSection {
  readonly table: TableName
  readonly metrics: readonly string[]
}

/**
 * Returns a hash per table of its definitions and of the columns that its metrics read, directly or
 * through formulas, up to a day counted from the first.
 * @param inputs columns of other tables, whose past may change: a fund corrects its holdings, the
 *   top of a cycle is known years later
 */
function hashInputs(
  sections: readonly MetricSection[],
  { definitions, formulas }: Catalogue,
  inputs: ReadonlyMap<string, Float64Array>,
  day: number,
): Partial<Record<TableName, string>> {
  const digests = new Map<string, Buffer>()
  const versions = new Map(definitions.map(({ id, definitionVersion }) => [id, definitionVersion]))
  for (const [id, { buffer, byteOffset, BYTES_PER_ELEMENT }] of inputs) {
    const content = new Uint8Array(buffer, byteOffset, (day + 1) * BYTES_PER_ELEMENT)
    digests.set(id, createHash('sha256').update(id).update(content).digest())
  }
  return Object.fromEntries(
    sections.map(({ table, metrics }) => {
      // Iterating a set includes members added meanwhile.
      const ids = new Set(metrics)
      for (const id of ids) for (const reference of formulas.get(id)?.references.keys() ?? []) ids.add(reference)
      const hash = createHash('sha256')
      for (const id of [...ids].sort()) {
        hash.update(`${id} ${versions.get(id)}\n`)
        const digest = digests.get(id)
        if (digest) hash.update(digest)
      }
      return [table, hash.digest('hex')]
    }),
  )
}

/** Writes `cycles` and `cycle_performance`. */
export async function publishCycles(
  draft: Draft,
  {
    network: { halvingInterval },
    newDays,
    state: { firstDay, basis },
    days,
    prices,
  }: Omit<MetricInputs, 'keyed' | 'pricing' | 'own'>,
): Promise<Relation<'cycle_performance'>> {
  const { connection } = draft
  const { height } = await readColumns(connection, `SELECT block_height AS height FROM ${days.from} ORDER BY date`)
  const found = [...halvingCycles(height!, halvingInterval), ...priceCycles(basis.price)]
  const values = dayValues(newDays)
  const cycles = await draft.write(tables.cycles, readStatement('cycles'), {
    from: [cycleStarts(found, firstDay), days, prices],
    values: { ...values, halving_interval: halvingInterval },
  })
  return draft.write(tables.cycle_performance, readStatement('cycle-performance'), {
    from: [cycles, days, prices],
    values,
  })
}

/**
 * Writes `cohorts`, `metrics_<category>`, `cost_basis`, `catalogue` and `metric_history`. Formulas
 * look only backwards, so earlier rows are copied if their inputs are unchanged. Also returns the
 * facts for the next checkpoint (with a cut), and the values of the last `recentDays` days.
 */
export async function publishMetrics(
  draft: Draft,
  inputs: MetricInputs,
  cyclePerformance: Relation<'cycle_performance'>,
): Promise<{
  cohorts: Relation<'cohorts'>
  atCut: MetricFacts | undefined
  recent: ReadonlyMap<string, Float64Array>
  /** Definitions of the operator that are left out. */
  notes: readonly string[]
}> {
  const { newDays, before, state, days, prices, keyed, pricing, own } = inputs
  const { firstDay, cohorts, costs } = state
  const dayCount = state.basis.price.length
  const catalogue = addPricingNote(describeCostGap(own.catalogue, state.costGap), pricing)
  const families = cohorts.flatMap((cohort) => measuresOf(cohort).map(({ id }) => cohortMetricId(cohort.id, id)))
  const byTable = Map.groupBy(catalogue.definitions, ({ table }) => table)
  const sections = [...categories.map(metricTableName), tables.own_metrics.name].flatMap((table) => {
    const metrics: readonly MetricDefinition[] | undefined = byTable.get(table)
    return metrics ? [{ table, metrics }] : []
  })
  const series = catalogue.definitions.filter(({ table }) => table !== tables.cost_basis.name)
  // First, because its bins take much memory.
  writeCostBasisTable(draft, newDays, costs.days)
  draft.part('metrics without formula')
  const computed = computedTables(state)
  const base = await originColumns(draft.connection, series, {
    computed,
    stored: [days, prices, cyclePerformance, ...keyed],
    firstDay,
    days: dayCount,
  })
  draft.part('formulas')
  const read = new Map(
    series.filter(({ from }) => from && !computed.has(from.table)).map(({ id }) => [id, base.get(id)!]),
  )
  const published = [
    { table: tables.cohorts.name, metrics: families },
    ...sections.map(({ table, metrics }) => ({ table, metrics: metrics.map(({ id }) => id) })),
  ]
  const inputsUpTo = (day: number): MetricFacts['metricInputs'] =>
    hashInputs(published, catalogue, read, day - firstDay)
  const inputsBefore = before && inputsUpTo(newDays.after)
  const daysToWrite = (table: TableName): NewDays =>
    inputsBefore && inputsBefore[table] === before.metricInputs[table] ? newDays : allDays(newDays)
  // Includes the day before the new ones, to find gaps in metrics that had a value.
  const lastDays = new Map<string, number>()
  for (const { table, metrics } of published) {
    const needed = Math.min(dayCount, Math.max(newDates(daysToWrite(table)).length + 1, recentDays))
    for (const id of metrics) lastDays.set(id, Math.max(needed, lastDays.get(id) ?? 0))
  }
  const publications = published.flatMap(({ metrics }) => metrics)
  const columns = new MetricColumns(dayCount, catalogue.formulas, base, publications, (id) => lastDays.get(id) ?? 0)
  restoreNeeded(state, base, columns)
  const firstDates = new Map<string, string>()
  const recent = new Map<string, Float64Array>()
  const lastPricedDay = state.basis.price.findLastIndex((value) => !Number.isNaN(value))
  const noneRecent = new Float64Array(Math.min(dayCount, recentDays)).fill(Number.NaN)
  const take = (id: string): Float64Array | undefined => {
    const column = columns.take(id)
    const start = dayCount - columns.needed(id)
    if (column && gaplessMetrics.has(id)) requireNoGap(id, column, firstDay + start, lastPricedDay - start)
    const date =
      (start > 0 ? before?.firstDates[id] : undefined) ??
      (column ? isoDate(firstDay + start + firstKnown(column)) : undefined)
    if (date !== undefined) firstDates.set(id, date)
    recent.set(id, column?.slice(-recentDays) ?? noneRecent)
    return column
  }

  const cohortTable = writeCohortTable(draft, daysToWrite(tables.cohorts.name), cohorts, take)
  for (const { table, metrics } of sections) {
    const values = metrics.map((definition) => [definition, take(definition.id)] as const)
    writeMetricTable(draft, daysToWrite(table), table, values)
  }
  const firstCosts = firstDates.get(`cost_basis_${quantileName(50)}`)
  if (firstCosts !== undefined) for (const { id } of distributions) firstDates.set(id, firstCosts)
  writeCatalogueTable(draft, catalogue, firstDates)
  writeHistoryTable(draft, own.builtIn, cohorts)
  const factsUpTo = (day: number): MetricFacts => ({
    metricInputs: inputsUpTo(day),
    firstDates: Object.fromEntries([...firstDates].filter(([, date]) => date <= isoDate(day))),
  })
  const ids = new Set(series.map(({ id }) => id))
  return {
    cohorts: cohortTable,
    atCut: newDays.cut === undefined ? undefined : factsUpTo(newDays.cut),
    recent: new Map([...recent].filter(([id]) => ids.has(id))),
    notes: own.problems.map(({ message, cure }) => `definition left out: ${message}; ${cure}`),
  }
}

function restoreNeeded(
  { columns, costs, ages, before, basis }: DailyState,
  base: ReadonlyMap<string, Float64Array>,
  metrics: MetricColumns,
): void {
  if (!before) return
  const firstNeeded = new Map<Float64Array, number>()
  for (const [id, column] of base) {
    const first = basis.price.length - metrics.needed(id)
    firstNeeded.set(column, Math.min(first, firstNeeded.get(column) ?? first))
  }
  restoreColumns({ columns, costs, ages }, before, (column) => firstNeeded.get(column))
}

const computedTables = ({ columns, costs, ages }: DailyState): ComputedTables =>
  new Map([
    ['cohorts', new Map(listCohortColumns(columns))],
    ['cost_distribution', costs.columns],
    ['coin_ages', ages.columns],
  ])
