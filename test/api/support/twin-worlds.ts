import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openAccountStores } from '#accounts/services.ts'
import { isoDate } from '#base/days.ts'
import { writeToday } from '#compute/live/write-today.ts'
import { type Tier, tiers } from '#contract/tiers.ts'
import { grades } from '#query/view.ts'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration, listGenerationIds, openGeneration, publishedFolder } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { keptFile, keptFolder } from '#sql/kept-rows.ts'
import { writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { addFirstValues, appendFirstValues } from '#test/support/first-values.ts'
import { objectsOf } from '#test/support/published.ts'
import { serveTools, type ToolService } from '../../mcp/support/tool-service.ts'
import { addEarlierGeneration, chainDays, firstDay, lastDay, makeServedChain, openDay } from './served-chain.ts'
import { cheapPasswords, headersByTier, withoutLimits } from './test-server.ts'

export const cutTiers = ['demo', 'free', 'pro'] as const
export type CutTier = (typeof cutTiers)[number]

export const firstSeen = (tier: Tier): number => Math.max(firstDay, lastDay - tiers[tier].historyDays + 1)

/** Numbers that name a row, and tables whose rows decide values of later days, or show none. */
const keys = new Set(['id', 'bin', 'cycle', 'grade', 'height', 'pool', 'entity_id'])
const leftAlone = new Set([
  ...['catalogue', 'metric_history', 'cycles', 'cycle_performance', 'pools', 'exchanges', 'etf_registry'],
  ...['treasury_registry', 'treasuries', 'kinds', 'day_hashes', 'flows', 'young_spends', 'fine_flows', 'kind_flows'],
  ...['created_kinds', 'overwritten', 'price_sources'],
])
/** Metrics of the rows after blocks and of first values, with their grades. */
export const open = 'mvrv'
const graded = { [open]: 0, price: 0, realized_profit: 1, cost_basis_p50: 2 } as const
export const secretOf = (tier: Tier): string => (tier === 'pro' ? 'cost_basis_p50' : 'realized_profit')
export const firstValuesAsOf = '2012-01-01'
const earlierId = '20000101T000000000Z-0-00000000'

/** Days before `from` and metrics above `grade` are hidden from the tier. */
interface Hidden {
  readonly from: number
  readonly grade: number
}
const nothing: Hidden = { from: 0, grade: 9 }

/**
 * Services of the same data, except that in `other` everything is changed that the tier may not see:
 * in tables of both kept generations, rows after blocks, the open day, and first published values.
 */
export interface Worlds {
  readonly same: ToolService
  readonly other: Readonly<Record<CutTier, ToolService>>
  readonly headers: ReadonlyMap<Tier, Record<string, string>>
  readonly earlier: string
  readonly close: () => Promise<void>
}

export async function serveWorlds(): Promise<Worlds> {
  const chain = await makeServedChain()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-worlds-'))
  await addEarlierGeneration(chain.dataDir, earlierId)
  const keysOf = await headersByTier(chain.dataDir)
  const services = await openAccountStores({ DATA_DIR: chain.dataDir }, undefined, cheapPasswords)
  const { id } = (await services.accounts.create('free@example.org', 'free'))!
  const cookie = `coinstrata_session=${await services.sessions.start(id)}`
  await services.close()
  const running: ToolService[] = []
  const world = async (name: string, hidden: Hidden): Promise<ToolService> => {
    const dataDir = path.join(folder, name)
    cpSync(chain.dataDir, dataDir, { recursive: true, verbatimSymlinks: true })
    await fillWorld(dataDir, hidden)
    const service = await serveTools(dataDir, { ...withoutLimits, FREE_DAILY_REQUESTS: '1000000', CHART_DEMO: 'on' })
    running.push(service)
    return service
  }
  const same = await world('same', nothing)
  const other = {
    demo: await world('demo', { from: firstSeen('demo'), grade: 0 }),
    free: await world('free', { from: firstSeen('free'), grade: 0 }),
    pro: await world('pro', { from: 0, grade: 1 }),
  }
  const headers = new Map([...keysOf, ['free', { ...keysOf.get('demo')!, cookie }] as const])
  const close = async (): Promise<void> => {
    for (const service of running) await service.close()
    rmSync(folder, { recursive: true, force: true })
    chain.remove()
  }
  return { same, other, headers, earlier: earlierId, close }
}

/**
 * Changes what is hidden in a folder of both kept generations, and adds rows after blocks, the open
 * day and first published values.
 */
export async function fillWorld(dataDir: string, hidden: Hidden = nothing): Promise<void> {
  await withSession({ temporaryFolder: path.join(dataDir, 'temporary') }, (connection) =>
    changeHidden(connection, dataDir, hidden),
  )
  await addFirst(dataDir, hidden)
}

const changed = (value: number): number => value * 1.5 + 7

async function changeHidden(connection: DuckDBConnection, dataDir: string, hidden: Hidden): Promise<void> {
  const gradeOfMetric = new Map<string, number>()
  for (const id of listGenerationIds(dataDir)) {
    const folder = path.join(publishedFolder(dataDir), id)
    const { generation } = openGeneration(folder)
    const catalogue = await objectsOf(
      `SELECT table_name, column_name, min(grade) AS grade FROM '${folder}/catalogue.parquet' GROUP BY ALL`,
    )
    const gradeOf = new Map(
      catalogue.map(({ table_name, column_name, grade }) => [`${table_name}.${column_name}`, Number(grade)]),
    )
    for (const { id: metric, grade } of await objectsOf(`SELECT id, grade FROM '${folder}/catalogue.parquet'`))
      gradeOfMetric.set(String(metric), Number(grade))
    for (const [table, published] of Object.entries(generation.tables)) {
      const isRevised = table === 'metrics_valuation' || table === 'metrics_market'
      if (leftAlone.has(table) || (id === earlierId && !isRevised)) continue
      const file = path.join(folder, `${table}.parquet`)
      const described = await connection.runAndReadAll(`DESCRIBE FROM '${file}'`)
      const columns = described.getRowObjects().map(({ column_name, column_type }) => ({
        name: String(column_name),
        type: String(column_type),
      }))
      const day = columns.find(({ name }) => name === 'date' || name === 'time')?.name
      const whole = Object.entries(grades).find(([name]) => name === table)?.[1] ?? 0
      const select = columns.map(({ name, type }) => {
        if (!/^(DOUBLE|BIGINT|INTEGER|DECIMAL.*)$/.test(type) || keys.has(name)) return `"${name}"`
        const other = type === 'DOUBLE' ? `"${name}" * 1.5 + 7` : `"${name}" + 3`
        const isHidden = Math.max(whole, gradeOf.get(`${table}.${name}`) ?? 0) > hidden.grade
        const when = isHidden ? 'true' : day && hidden.from > firstDay ? `${day} < DATE '${isoDate(hidden.from)}'` : ''
        return when === '' ? `"${name}"` : `(CASE WHEN ${when} THEN ${other} ELSE "${name}" END)::${type} AS "${name}"`
      })
      if (!select.some((column) => column.startsWith('(CASE'))) continue
      await writeParquet(connection, `${file}.new`, `SELECT ${select.join(', ')} FROM '${file}'`)
      renameSync(`${file}.new`, file)
      Object.assign(published, await digestFile(file))
    }
    const created_at = id === earlierId ? '2015-01-01T00:00:00.000Z' : generation.created_at
    writeIntactJson(path.join(folder, 'generation.json'), { ...generation, created_at })
  }
  const value = (metric: keyof typeof graded, day: number, number: number): number =>
    graded[metric] > hidden.grade || day < hidden.from ? changed(number) : number
  const metrics = [open, 'price', 'realized_profit'] as const
  // Rows after blocks, around the beginning of the history of each tier and after its end.
  const days = [...new Set(cutTiers.flatMap((tier) => [firstSeen(tier) - 1, firstSeen(tier)])), lastDay, lastDay + 1]
  const live = keptFolder(publishedFolder(dataDir))
  mkdirSync(live, { recursive: true })
  for (const day of days.filter((one) => one >= firstDay)) {
    const height = 1_000 + 2 * (day - firstDay)
    const rows = [0, 1].map((place) => {
      const at = `TIMESTAMP '${isoDate(day)} 0${place + 1}:00:00'`
      const numbers = metrics.map((name, i) => `${value(name, day, height / 7 + i + place)}::DOUBLE AS ${name}`)
      return `SELECT DATE '${isoDate(day)}' AS date, ${at} AS hour, ${height + place}::INTEGER AS height, 'block ${height + place}' AS hash,
        ${at} AS time, NULL::TIMESTAMP AS price_time, ${at} AS updated_at, ${numbers.join(', ')}`
    })
    const file = path.join(live, 'unnamed.parquet')
    await writeParquet(connection, file, rows.join(' UNION ALL '))
    const { sha256 } = await digestFile(file)
    renameSync(file, path.join(live, keptFile({ detail: 'blocks', date: isoDate(day), rows: 2, at: 1, sha256 })))
  }
  const row = openDay(lastDay + 1)
  const gradedRow = Object.entries(row).map(([name, given]) => {
    const grade = gradeOfMetric.get(name) ?? 0
    return [name, typeof given === 'number' && grade > hidden.grade ? changed(given) : given]
  })
  await writeToday(connection, dataDir, Object.fromEntries(gradedRow))
}

/** First values of a generation that is no longer kept. */
async function addFirst(dataDir: string, hidden: Hidden): Promise<void> {
  const id = '20110101T000000000Z-0-00000000'
  const published = publishedFolder(dataDir)
  const { folder, generation } = currentGeneration(dataDir)!
  cpSync(folder, path.join(published, id), { recursive: true })
  const created_at = '2011-01-01T00:00:00.000Z'
  writeIntactJson(path.join(published, id, 'generation.json'), { ...generation, id, created_at })
  const days = Array.from({ length: chainDays }, (_, i) => firstDay + i)
  const values = Object.entries(graded).flatMap(([metric, grade]) =>
    days.map((day) => {
      const isHidden = grade > hidden.grade || day < hidden.from
      return [metric, isoDate(day), isHidden ? changed(day) : day] as const
    }),
  )
  await addFirstValues(dataDir, id, values)
  await appendFirstValues(dataDir)
  rmSync(path.join(published, id), { recursive: true })
}
