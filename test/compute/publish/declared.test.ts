import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { defineMetrics, withKinds } from '#compute/catalogue/definition.ts'
import { affectedMetrics, metricHistory } from '#compute/catalogue/metric-history.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { writeHistoryTable } from '#compute/publish/catalogue-table.ts'
import { declaredCohorts } from '#compute/publish/cohort-table.ts'
import { Draft } from '#compute/publish/draft.ts'
import type { Table } from '#contract/tables/table.ts'
import { tables } from '#contract/tables/tables.ts'
import { networks } from '#ingest/chain/networks.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { notesIn } from '#test/support/parquet-notes.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { currentFolder, publishedTable, rowsOf, tablesOf } from '#test/support/published.ts'

const firstDay = 14_247
const cohorts = listCohorts({ days: Int32Array.of(firstDay) }, networks.mainnet.halvingInterval, firstDay)
const catalogue = createCatalogue(networks.mainnet, cohorts)
const wholeMetrics = new Set(catalogue.definitions.flatMap(({ id, whole }) => (whole ? [id] : [])))

const declared = Object.values<Table>({ ...tables, cohorts: declaredCohorts }).filter(
  // test/program/own-metrics.test.ts publishes the operator's.
  ({ setting, name }) => setting === undefined && name !== tables.own_metrics.name,
)

/** Checks the promises of README and docs/tables.md on the files. */
describe('the published demo chain', () => {
  const folder = temporaryFolder('declared')
  const dataDir = path.join(folder, 'data')
  beforeAll(() => publishDemoChain(dataDir))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const from = ({ name }: Table): string => publishedTable(dataDir, name)
  const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

  it('has the declared tables and no others', () => {
    expect(tablesOf(dataDir)).toEqual(declared.map(({ name }) => name).sort())
  })

  it.each(declared)('has $name with the declared columns', async (table) => {
    const described = await rowsOf(`SELECT column_name, column_type FROM (DESCRIBE FROM ${from(table)})`)
    const columns = Object.entries(table.columns).map(([name, { type }]) => [name, type])
    if (table.columnPer !== 'metric') {
      expect(described).toEqual(columns)
      return
    }
    expect(described.slice(0, columns.length)).toEqual(columns)
    const metrics = await rowsOf(
      `SELECT id, column_name FROM ${publishedTable(dataDir, 'catalogue')} WHERE table_name = '${table.name}'`,
    )
    expect(metrics.length).toBeGreaterThan(0)
    expect(described.slice(columns.length)).toEqual(
      metrics.map(([id, column]) => [column, wholeMetrics.has(id ?? '') ? 'BIGINT' : 'DOUBLE']),
    )
  })

  it('tells in every file what each column is, as the declaration and the catalogue do', async () => {
    const noteKeys = ['description', 'unit', 'title', 'kind', 'formula', 'variant', 'source'] as const
    const published = await rowsOf(
      `SELECT table_name, column_name, description, unit, name, kind, formula, variant, source FROM ${from(tables.catalogue)}`,
    )
    const metrics = new Map(published.map(([table, column, ...known]) => [`${table} ${column}`, known]))
    for (const table of declared) {
      const file = path.join(currentFolder(dataDir), `${table.name}.parquet`)
      const { notes, fields } = await notesIn(file)
      const names = (await rowsOf(`SELECT column_name FROM (DESCRIBE FROM '${file}')`)).map(([name]) => name ?? '')
      expect(notes.table).toBe(table.name)
      expect(fields.map(({ name, metadata }) => [name, metadata])).toEqual(
        names.map((name) => [name, notes.columns[name]]),
      )
      const expected = names.map((name) => {
        const column = table.columns[name]
        return column ? noteKeys.map((key) => column[key] ?? null) : metrics.get(`${table.name} ${name}`)
      })
      expect(names.map((name) => noteKeys.map((key) => notes.columns[name]?.[key] ?? null))).toEqual(expected)
    }
  })

  it('tells in every file, wherever it is copied, of which network and generation it is and how it is priced', async () => {
    const { generation } = currentGeneration(dataDir)!
    for (const { name } of declared) {
      const copy = path.join(folder, `copy-${name}`)
      copyFileSync(path.join(currentFolder(dataDir), `${name}.parquet`), copy)
      const { notes } = await notesIn(copy)
      expect(notes.file).toEqual({
        generation: generation.id,
        network: 'simulated',
        simulated: true,
        tip_height: generation.tip.height,
        tip_hash: generation.tip.hash,
        pricing: 'hourly',
        price_sources: ['simulated'],
      })
    }
  })

  it('tells by the version of a definition which columns are made in another way', async () => {
    const versions = async (table: string) => {
      const { notes } = await notesIn(path.join(currentFolder(dataDir), `${table}.parquet`))
      return Object.entries(notes.columns).map(([name, { definition_version }]) => [name, definition_version] as const)
    }
    for (const table of ['metrics_valuation', 'metrics_market', 'cohorts']) {
      const known = (await versions(table)).filter(([name]) => !['date', 'cohort'].includes(name))
      expect(known.filter(([, version]) => !/^[0-9a-f]{12}$/.test(version ?? ''))).toEqual([])
    }
    const rows = [
      { id: 'a', name: 'A', description: 'A.', unit: 'BTC', from: { table: 'days', column: 'work' }, kind: 'level' },
      { id: 'b', name: 'B', description: 'B.', unit: 'BTC', formula: '2 * a' },
      { id: 'c', name: 'C', description: 'C.', unit: 'BTC', formula: 'b + 1' },
    ] as const
    const versionsOf = (formula: string): string[] => {
      const metrics = defineMetrics('market', [rows[0], { ...rows[1], formula }, rows[2]])
      const formulas = new Map([formula, 'b + 1'].map((text, i) => [i === 0 ? 'b' : 'c', parseFormula(text)]))
      return withKinds(metrics, formulas).map((definition) => definition.definitionVersion)
    }
    const [before, after] = [versionsOf('2 * a'), versionsOf('3 * a')]
    expect(after.map((version, i) => version !== before[i])).toEqual([false, true, true])
    expect(versionsOf('2 * a')).toEqual(before)
  })

  it('has the history of its metrics, with the ids of all that follow from a change', async () => {
    expect(await rowsOf(`SELECT count(*) FROM ${from(tables.metric_history)}`)).toEqual([
      [String(metricHistory.length)],
    ])
    const change = { date: '2027-01-02', version: '1.1.0', change: 'New.', reason: 'Old.', effect: 'None.' } as const
    const history = [
      { ...change, kind: 'pricing', metrics: ['price'] },
      { ...change, kind: 'id', metrics: [], measures: ['sopr'], cohorts: ['lth'] },
    ] as const
    const draft = await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
      const made = new Draft(connection, path.join(folder, 'draft'))
      await writeHistoryTable(made, catalogue, cohorts, history)
      return made.folder
    })
    const rows = await rowsOf(
      `SELECT number, date::VARCHAR, kind, metrics @> ['price', 'market_cap', 'mvrv_z'], len(metrics)
       FROM '${draft}/metric_history.parquet' ORDER BY number`,
    )
    expect(rows).toEqual([
      ['1', '2027-01-02', 'pricing', 'true', String(affectedMetrics(history[0], catalogue.formulas, cohorts).length)],
      ['2', '2027-01-02', 'id', 'false', '1'],
    ])
  })

  it('uses only encodings that every engine reads', async () => {
    for (const table of declared) {
      const encodings = await rowsOf(
        `SELECT DISTINCT unnest(string_split(encodings, ', ')) FROM parquet_metadata(${from(table)})`,
      )
      expect(['PLAIN', 'PLAIN_DICTIONARY', 'RLE', 'RLE_DICTIONARY'], table.name).toEqual(
        expect.arrayContaining(encodings.map(([encoding]) => encoding)),
      )
    }
  })

  it('has the cohorts of a day in one or two row groups, so that they are read without those of other days', async () => {
    const groups = `SELECT stats_min_value::DATE AS first, stats_max_value::DATE AS last, row_group_num_rows AS rows
      FROM parquet_metadata(${from(tables.cohorts)}) WHERE path_in_schema = 'date'`
    const [most] = await rowsOf(`SELECT max(rows) FROM (${groups})`)
    expect(Number(most?.[0])).toBeLessThanOrEqual(30_720)
    const [together] = await rowsOf(
      `SELECT max(number) FROM (SELECT count(*) AS number FROM (${groups}) JOIN
         (SELECT DISTINCT date FROM ${from(tables.cohorts)}) ON date BETWEEN first AND last GROUP BY date)`,
    )
    expect(Number(together?.[0])).toBeLessThanOrEqual(2)
  })

  it.each(declared)('has rows of $name that their key tells apart', async (table) => {
    const [counts] = await rowsOf(
      `SELECT count(*), (SELECT count(*) FROM (SELECT DISTINCT ${list(table.key)} FROM ${from(table)})) FROM ${from(table)}`,
    )
    expect(counts?.[0]).toBe(counts?.[1])
    // Nothing is overwritten on this chain, its market has no hours, and no metric has changed yet.
    if (!['overwritten', 'prices_hourly', 'metric_history'].includes(table.name))
      expect(Number(counts?.[0])).toBeGreaterThan(0)
  })

  it.each(declared.filter(({ sortedBy }) => sortedBy.length > 0))('has $name sorted as declared', async (table) => {
    // Cohorts stand in an order of their own, the same on every day.
    const isCohorts = table.name === 'cohorts'
    const key = isCohorts ? ['date'] : table.sortedBy
    const rows = `read_parquet(${from(table)}, file_row_number = true)`
    const [descents] = await rowsOf(
      `SELECT count(*) FILTER (before > own) FROM (
         SELECT row(${list(key)}) AS own, lag(row(${list(key)})) OVER (ORDER BY file_row_number) AS before FROM ${rows})`,
    )
    expect(descents).toEqual(['0'])
    if (!isCohorts) return
    const [orders] = await rowsOf(
      `SELECT count(DISTINCT cohorts) FROM (SELECT list(cohort ORDER BY file_row_number) AS cohorts FROM ${rows} GROUP BY date)`,
    )
    expect(orders).toEqual(['1'])
  })
})
