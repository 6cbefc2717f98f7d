import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeFolder } from '#test/support/made-folder.ts'
import { notesIn } from '#test/support/parquet-notes.ts'
import { columnsOf, currentFolder, publishedTable, rowsOf, tableDifferences } from '#test/support/published.ts'
import { CheckpointedChain, readRowGroupEnds } from './support/checkpointed-chain.ts'

type Definition = { readonly cohort: string; readonly title: string } & (
  | { readonly age_days: readonly [number, number] }
  | { readonly created: readonly [string, string] }
)
const late: Definition = { cohort: 'late', title: 'late coins', created: ['2011-04-05', '2011-04-20'] }
const ripe: Definition = { cohort: 'ripe', title: 'ripe coins', age_days: [20, 45] }
const begin: Definition = { cohort: 'begin', title: 'first coins', created: ['2009-01-03', '2011-02-10'] }
const old: Definition = { cohort: 'old', title: 'old coins', age_days: [50, 36_500] }
const young: Definition = { cohort: 'young', title: 'young coins', age_days: [0, 155] }

function define(dataDir: string, ...definitions: readonly object[]): void {
  const folder = path.join(dataDir, 'metrics')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [i, one] of definitions.entries()) writeFileSync(path.join(folder, `${i}.json`), JSON.stringify(one))
}

const columnsFor = (id: string): string[] => [
  `supply_sats_${id}`,
  `utxo_count_${id}`,
  `realized_cap_${id}`,
  `spent_volume_${id}`,
  `realized_price_${id}`,
  `mvrv_${id}`,
]

/** The same columns added up from all coins, with the close of the day of their creation as their cost. */
function addUp(dataDir: string, definition: Definition): Promise<(number | null)[][]> {
  const of = (name: string): string => publishedTable(dataDir, name)
  const belongs =
    'created' in definition
      ? `created BETWEEN DATE '${definition.created[0]}' AND DATE '${definition.created[1]}'`
      : `date - created >= ${definition.age_days[0]} AND date - created < ${definition.age_days[1]}`
  return columnsOf(`
    WITH held AS (
      SELECT
        days.date,
        coins.date AS created,
        coins.created_sats - coalesce(sum(flows.spent_sats), 0) AS sats,
        coins.created_outputs - coalesce(sum(flows.spent_outputs), 0) AS outputs,
        coalesce(sum(flows.spent_sats) FILTER (flows.date = days.date), 0) AS spent,
      FROM ${of('days')} AS days
      JOIN ${of('days')} AS coins ON coins.date <= days.date
      LEFT JOIN ${of('flows')} AS flows ON flows.created_date = coins.date AND flows.date <= days.date
      GROUP BY days.date, coins.date, coins.created_sats, coins.created_outputs
    ), sums AS (
      SELECT
        date,
        coalesce(sum(sats) FILTER (${belongs}), 0) AS sats,
        coalesce(sum(outputs) FILTER (${belongs}), 0) AS outputs,
        coalesce(sum(sats * close) FILTER (${belongs}), 0) / 1e8 AS cost,
        coalesce(sum(spent) FILTER (${belongs}), 0) / 1e8 AS spent,
      FROM held
      JOIN (SELECT date AS created, close FROM ${of('prices')}) USING (created)
      GROUP BY date
    )
    SELECT sats, outputs, cost, spent, cost / nullif(sats / 1e8, 0), close * (sats / 1e8) / nullif(cost, 0)
    FROM sums JOIN ${of('prices')} USING (date) ORDER BY date`)
}

async function expectSums(dataDir: string, definition: Definition): Promise<void> {
  const names = columnsFor(definition.cohort)
  const published = await columnsOf(
    `SELECT ${names.join()} FROM ${publishedTable(dataDir, 'own_metrics')} ORDER BY date`,
  )
  const expected = await addUp(dataDir, definition)
  for (const [i, name] of names.entries()) {
    expect(published[i]!.length, name).toBe(97)
    expect(new Set(published[i]).size, name).toBeGreaterThan(9)
    for (const [day, value] of published[i]!.entries()) {
      const sum = expected[i]![day]!
      if (i < 2 || value === null) expect([day, name, value]).toEqual([day, name, sum])
      else expect(Math.abs(value - sum), `${name} on day ${day}`).toBeLessThanOrEqual(1e-9 * Math.abs(sum))
    }
  }
}

describe('cohorts of the operator', { timeout: 600_000 }, () => {
  let made: CheckpointedChain
  beforeAll(async () => {
    made = await CheckpointedChain.start()
  })
  afterAll(() => made.stop())

  it('have the sums of their coins on all days, wherever the last update began, and change nothing else', async () => {
    const dataDir = made.copyOfBase()
    const blocks = await made.blockFiles(290)
    const publish = () => computeFolder(dataDir, blocks, { pricing: 'daily' })
    await publish()
    const without = made.copyOf(dataDir)
    // While the coins of one are created, none holds those of the first days.
    define(dataDir, late, ripe)
    await publish()
    for (const one of [late, ripe]) await expectSums(dataDir, one)
    for (const name of ['cohorts', 'flows', 'day_hashes', 'metrics_valuation']) {
      const [mine, before] = [dataDir, without].map((folder) => `FROM ${publishedTable(folder, name)}`)
      const [counts] = await rowsOf(
        `SELECT (SELECT count(*) ${mine}) - (SELECT count(*) ${before}), count(*) FROM (${mine} EXCEPT ALL ${before})`,
      )
      expect([name, counts]).toEqual([name, ['0', '0']])
    }
    const longer = { ...ripe, age_days: [10, 60] } as const
    const versions = async (...ids: string[]) => {
      const { notes } = await notesIn(path.join(currentFolder(dataDir), 'own_metrics.parquet'))
      return ids.map((id) => notes.columns[id]?.definition_version)
    }
    const of = (id: string) => versions(`supply_sats_${id}`, `mvrv_${id}`)
    const [unchanged, before] = [await of('late'), await of('ripe')]
    define(dataDir, late, longer, young, begin, old)
    await publish()
    for (const one of [longer, late, begin, old]) await expectSums(dataDir, one)
    // The range of short-term holders.
    const near = (name: string): string =>
      `coalesce(abs(${name}_young - sth_${name}) <= 1e-9 * sth_${name}, ${name}_young IS NULL AND sth_${name} IS NULL)`
    const [same] = await rowsOf(
      `SELECT count(*), count(asopr_young) FROM ${publishedTable(dataDir, 'own_metrics')}
       JOIN ${publishedTable(dataDir, 'metrics_profit_and_loss')} USING (date)
       WHERE ${near('sopr')} AND ${near('asopr')} AND ${near('unrealized_profit')}`,
    )
    expect([same?.[0], Number(same?.[1]) > 50]).toEqual(['97', true])
    expect(await of('late')).toEqual(unchanged)
    const after = await of('ripe')
    expect([...before, ...after].filter((version) => version === undefined)).toEqual([])
    expect(new Set([...before, ...after]).size).toBe(4)
  })

  it('and metrics computed from them go on from a checkpoint as if all days were computed', async () => {
    const dataDir = made.copyOfBase()
    const share = {
      id: 'ripe_share',
      title: 'Share of ripe coins',
      formula: 'supply_ripe / circulating_supply + sma(mvrv_late, 5)',
      unit: 'ratio',
      description: 'Uses both.',
    }
    define(dataDir, late, ripe, share)
    await made.update(dataDir, await made.blockFiles(290))
    expect(await readRowGroupEnds(dataDir, 'own_metrics')).toEqual([86, 96])
    const blocks = await made.blockFiles(298)
    expect((await made.update(dataDir, blocks)).days).toEqual([86, 99])
    const fresh = made.newFolder()
    for (const part of ['raw', 'metrics']) cpSync(path.join(dataDir, part), path.join(fresh, part), { recursive: true })
    await computeFolder(fresh, blocks)
    expect(await tableDifferences(dataDir, fresh)).toEqual({})
    const [row] = await rowsOf(
      `SELECT count(ripe_share), max(ripe_share) FROM ${publishedTable(dataDir, 'own_metrics')}`,
    )
    expect(Number(row?.[0])).toBeGreaterThan(30)
  })
})
