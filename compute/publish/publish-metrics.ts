import type { DuckDBConnection } from '@duckdb/node-api'
import type { Network } from '#ingest/chain/networks.ts'
import { isoDate } from '#root/days.ts'
import { readColumns } from '#sql/columns.ts'
import { parquetFiles, writeParquet } from '#sql/parquet.ts'
import { statement } from '#sql/statement.ts'
import { catalogueOf } from '../catalogue/catalogue.ts'
import { categories, tableOf } from '../catalogue/definition.ts'
import { measures, metricId } from '../catalogue/measures.ts'
import type { CohortColumns } from '../cohorts/cohort-pass.ts'
import type { Cohort } from '../cohorts/cohorts.ts'
import type { CoinAges } from '../cohorts/coin-ages.ts'
import type { CostBasis } from '../cohorts/cost-basis.ts'
import type { CostDistribution } from '../cohorts/cost-distribution.ts'
import { writeCatalogueTable } from './catalogue-table.ts'
import { writeCohortTable } from './cohort-table.ts'
import { writeCostBasisTable } from './cost-basis-table.ts'
import { createCycleStarts, halvingCycles, priceCycles } from './cycles.ts'
import { MetricColumns } from './metric-columns.ts'
import { writeMetricTable } from './metric-table.ts'
import { type ComputedTables, originColumns } from './origin-columns.ts'

/** What the pass over the flows found out about each closed day. */
export interface DailyState {
  /** Unix day of the first closed day. */
  readonly firstDay: number
  readonly cohorts: readonly Cohort[]
  readonly columns: CohortColumns
  readonly basis: CostBasis
  readonly costs: CostDistribution
  readonly ages: CoinAges
}

/**
 * Writes the tables that follow from the views `days` and `prices` and from the pass: `cycles`, `cycle_performance`,
 * `cohorts`, `metrics_<category>`, `cost_basis` and `catalogue`. `file` gives the file of a table. Returns their names.
 */
export async function publishMetrics(
  connection: DuckDBConnection,
  file: (table: string) => string,
  network: Network,
  state: DailyState,
): Promise<string[]> {
  const { firstDay, cohorts, costs } = state
  const days = state.basis.price.length
  await publishCycles(connection, file, network, state)

  const catalogue = catalogueOf(network, cohorts)
  const families = cohorts.flatMap(({ id }) => measures.map((measure) => metricId(id, measure.id)))
  const tables = categories.map((category) => {
    const table = tableOf(category)
    return { table, metrics: catalogue.definitions.filter((definition) => definition.table === table) }
  })
  const base = await originColumns(connection, catalogue.definitions, computedTables(state), days)
  const publications = [...families, ...tables.flatMap(({ metrics }) => metrics.map(({ id }) => id))]
  const columns = new MetricColumns(days, catalogue.formulas, base, publications)
  const firstDates = new Map<string, string>()
  const take = (id: string): Float64Array => {
    const column = columns.take(id)
    const first = column.findIndex((value) => !Number.isNaN(value))
    if (first >= 0) firstDates.set(id, isoDate(firstDay + first))
    return column
  }

  await writeCohortTable(connection, file('cohorts'), firstDay, days, cohorts, take)
  for (const { table, metrics } of tables) {
    const values = metrics.map((definition) => [definition, take(definition.id)] as const)
    await writeMetricTable(connection, file(table), firstDay, values)
  }
  await writeCostBasisTable(connection, file('cost_basis'), firstDay, costs.days)
  if (costs.days[0]) firstDates.set('cost_basis_distribution', isoDate(firstDay + costs.days[0].day))
  await writeCatalogueTable(connection, file('catalogue'), catalogue, firstDates)
  return ['cycles', 'cycle_performance', 'cohorts', ...tables.map(({ table }) => table), 'cost_basis', 'catalogue']
}

async function publishCycles(
  connection: DuckDBConnection,
  file: (table: string) => string,
  { halvingInterval }: Network,
  { firstDay, basis }: DailyState,
): Promise<void> {
  const { height } = await readColumns(connection, 'SELECT block_height AS height FROM days ORDER BY date')
  const cycles = [...halvingCycles(height!, halvingInterval), ...priceCycles(basis.price)]
  await createCycleStarts(connection, cycles, firstDay)
  await connection.run(`SET VARIABLE halving_interval = ${halvingInterval}`)
  for (const [table, query] of [
    ['cycles', 'cycles'],
    ['cycle_performance', 'cycle-performance'],
  ] as const) {
    await writeParquet(connection, file(table), statement(query))
    await connection.run(`CREATE OR REPLACE TEMP VIEW ${table} AS FROM ${parquetFiles([file(table)])}`)
  }
}

function computedTables({ columns, costs, ages }: DailyState): ComputedTables {
  const ofCohorts = new Map<string, Float64Array>()
  for (const [cohort, values] of columns) {
    for (const [measure, column] of Object.entries(values)) ofCohorts.set(`${measure} ${cohort}`, column)
  }
  return new Map([
    ['cohorts', ofCohorts],
    ['cost_distribution', costs.columns],
    ['coin_ages', ages.columns],
  ])
}
