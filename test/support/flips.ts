import { hash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import { Accounts } from '#accounts/accounts.ts'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { Passwords } from '#accounts/passwords.ts'
import { startServer } from '#api/server.ts'
import { apiSettings } from '#api/settings.ts'
import { hoursPerDay, msPerDay, parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { update } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { simulatedSource, tables } from '#ingest/market/observations.ts'
import { appendObservations, verifyStored } from '#ingest/market/store.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { backUp, restore } from '#root/cli/backup.ts'
import { findDamagedTables } from '#sql/file-digest.ts'
import { switchLink } from '#sql/files.ts'
import {
  currentGeneration,
  currentGenerationId,
  openToday,
  publishedFolder,
  todayFile,
  todayLink,
} from '#sql/generation.ts'
import { quotedString } from '#sql/quote.ts'
import { withSession } from '#sql/session.ts'
import { ProvedSegments } from '#state/proved-segments.ts'
import { RunJournal } from '#state/run-journal.ts'
import { readAttempts, recordAttempt } from '#state/source-attempts.ts'
import { flipBit } from './flip-bit.ts'
import { Random } from './random.ts'

/**
 * - `identical`: everything read or published is the same: the damage was repaired, or hit bytes
 *   without meaning
 * - `refused`: an error, or a withdrawn table
 * - `value`: a value of a database or record differs, which has no checksum, and on which no table
 *   depends
 * - `wrong`: all else
 */
export const outcomes = ['identical', 'refused', 'value', 'wrong'] as const

export interface Flip {
  readonly kind: string
  readonly file: string
  readonly bit: number
  readonly outcome: (typeof outcomes)[number]
  readonly detail: string
}
type Verdict = Pick<Flip, 'outcome' | 'detail'>

/**
 * A published data folder, the node's files of some days later, and what an undamaged update
 * publishes of them.
 */
export interface FlipFolder {
  readonly folder: string
  readonly dataDir: string
  readonly expected: string
}

/** Throws the error that the program reports. */
type Check = (dataDir: string, file: string, intact: FlipFolder) => Promise<Verdict> | Verdict

const identical: Verdict = { outcome: 'identical', detail: '' }
const refused = (detail: string): Verdict => ({ outcome: 'refused', detail })
const wrong = (detail: string): Verdict => ({ outcome: 'wrong', detail })

/** An error must have a code and a cure, and name the file or the folder that it belongs to. */
function judgeError(error: unknown, file: string): Verdict {
  if (!(error instanceof CoinstrataError)) return wrong(`error without a code: ${error}`)
  const names = [path.basename(file), path.basename(path.dirname(file))]
  const detail = `[${error.code}] ${error.message}`
  if (!names.some((name) => error.message.includes(name))) return wrong(`names no file: ${detail}`)
  return error.cure === undefined ? wrong(`without cure: ${detail}`) : refused(detail)
}

const compare = (read: unknown, intact: unknown): Verdict =>
  isDeepStrictEqual(read, intact) ? identical : { outcome: 'value', detail: '' }

const mustEqual = (read: unknown, intact: unknown): Verdict =>
  isDeepStrictEqual(read, intact) ? identical : wrong('something else is read')

/** What the program reads of the rows of a database, after opening it as `open` does. */
function checkDatabase(name: string, open: (dataDir: string) => { close(): unknown }): Check {
  const readRows = (dataDir: string): unknown => {
    open(dataDir).close()
    const database = new DatabaseSync(path.join(dataDir, name), { readOnly: true })
    const names = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all()
    const rows = names.map((row) => database.prepare(`SELECT * FROM "${row.name}"`).all())
    database.close()
    return rows
  }
  return (dataDir, file, intact) => {
    const rows = readRows(dataDir)
    return existsSync(`${file}.damaged`) ? identical : compare(rows, readRows(intact.dataDir))
  }
}

interface Kind {
  readonly files: RegExp
  /** How many of a hundred flips hit this kind. */
  readonly share: number
  /** Missing where only an update reads the files. */
  readonly check?: Check
  /** Updates do not read the files. */
  readonly isUnread?: boolean
}

const checkMarket: Check = (dataDir, _, intact) => mustEqual(verifyStored(dataDir), verifyStored(intact.dataDir))

const kinds: Readonly<Record<string, Kind>> = {
  'published tables': {
    files: /^published\/current\/.*\.parquet$/,
    share: 20,
    check: async (dataDir, file) => {
      const damaged = await findDamagedTables(currentGeneration(dataDir)!)
      const name = path.basename(file, '.parquet')
      return isDeepStrictEqual(damaged, [name]) ? refused(`${name} is withdrawn`) : wrong(`damaged: ${damaged}`)
    },
  },
  'generation.json': {
    files: /^published\/current\/generation\.json$/,
    share: 5,
    check: (dataDir, _, intact) =>
      mustEqual(currentGeneration(dataDir)?.generation, currentGeneration(intact.dataDir)?.generation),
  },
  'live today': {
    files: /^published\/live\//,
    isUnread: true,
    share: 3,
    check: (dataDir) =>
      openToday(publishedFolder(dataDir)) === 'damaged' ? refused('today is withdrawn') : wrong('is served'),
  },
  'daily prices': { files: /^raw\/market\/prices\//, share: 8, check: checkMarket },
  'other market data': { files: /^raw\/market\/(?!prices\/)/, share: 8, check: checkMarket },
  segments: { files: /^raw\/segments\//, share: 10 },
  checkpoints: { files: /^raw\/checkpoints\//, share: 8 },
  'headers and chain': { files: /^raw\/(headers\/|chain)/, share: 8 },
  'merged hours': { files: /^raw\/merged-hours\//, share: 4 },
  'network.json': { files: /^raw\/network\.json$/, share: 2 },
  'accounts.db': {
    files: /^state\/accounts\.db$/,
    isUnread: true,
    share: 5,
    check: checkDatabase('state/accounts.db', (dataDir) => SqliteAccounts.open(dataDir)),
  },
  'runs.db': {
    files: /^state\/runs\.db$/,
    isUnread: true,
    share: 3,
    check: checkDatabase('state/runs.db', (dataDir) => new RunJournal(dataDir)),
  },
  'proved-segments.db': {
    files: /^raw\/proved-segments\.db$/,
    share: 3,
    check: checkDatabase('raw/proved-segments.db', (dataDir) => new ProvedSegments(dataDir)),
  },
  'records of sources': {
    files: /^state\/market-.*\.json$/,
    isUnread: true,
    share: 2,
    check: (dataDir, _, intact) => compare(readAttempts(dataDir), readAttempts(intact.dataDir)),
  },
  backups: {
    files: /^backup\.db$/,
    isUnread: true,
    share: 11,
    check: async (dataDir, file, { dataDir: intact }) => {
      const target = `${dataDir}-restored`
      rmSync(target, { recursive: true, force: true })
      await restore(target, file)
      return mustEqual(hashFiles(target), hashFiles(`${intact}-restored`))
    },
  },
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()

const hashFiles = (folder: string): string[] =>
  listFiles(folder)
    .filter((name) => !name.endsWith('lock.db'))
    .map((name) => `${name} ${hash('sha256', readFileSync(path.join(folder, name)))}`)

const seed = 3
const firstDay = parseDay('2009-01-03')

const settingsFor = (folder: string, dataDir: string): UpdateSettings => ({
  ...{
    dataDir,
    network: 'simulated',
    source: 'files',
    simulatedSeed: seed,
    pricing: 'hourly',
    memory: '1GB',
    rpc: 'off',
  },
  datadir: undefined,
  rpcUrl: undefined,
  rpcUser: undefined,
  rpcPassword: undefined,
  blocksdir: path.join(folder, 'blocks'),
  defaultDatadir: path.join(folder, 'none'),
})

const silent = { say: () => {}, scanned: () => {} }

/**
 * Makes a data folder of `days` days with all that flips may hit, and the node's files of three
 * more days.
 */
export async function makeFlipFolder(folder: string, days = 150): Promise<FlipFolder> {
  const [dataDir, expected] = [path.join(folder, 'data'), path.join(folder, 'expected')]
  await makeSimulatedChain({ folder, seed, endDay: firstDay + days, size: 'tiny' })
  await withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    const dates = Array.from({ length: days }, (_, i) => firstDay + i)
    const bar = (close: number) => ({ open: close, high: close, low: close, close, volume_btc: 1, volume_usd: null })
    const daily = dates.map((date) => ({ date, ...bar(date / 100) }))
    const hourly = dates.flatMap((day) =>
      Array.from({ length: hoursPerDay }, (_, hour) => ({
        time: day * msPerDay + (hour * msPerDay) / hoursPerDay,
        ...bar(day / 100 + hour),
      })),
    )
    const funds = dates.map((date) => {
      const unknown = { shares_outstanding: null, nav_usd: null, market_price_usd: null, aum_usd: null, flow_usd: null }
      return { ticker: 'IBIT', date, holdings_btc: date, premium: null, ...unknown }
    })
    await appendObservations(connection, dataDir, tables.prices, simulatedSource, daily, 1)
    await appendObservations(connection, dataDir, tables.prices_hourly, simulatedSource, hourly, 1)
    await appendObservations(connection, dataDir, tables.etf, simulatedSource, funds, 1)
  })
  await update(settingsFor(folder, dataDir), silent)
  const accounts = SqliteAccounts.open(dataDir)
  for (let i = 0; i < 50; i++) await new Accounts(accounts, new Passwords()).create(`user${i}@example.org`, 'pro')
  await accounts.close()
  const journal = new RunJournal(dataDir)
  for (let i = 0; i < 10; i++) journal.end(journal.begin('update'), 'ok', null)
  journal.close()
  for (const source of ['kraken', 'okx']) recordAttempt(dataDir, source, { at: 1e12, outcome: 'ok' })
  const live = path.dirname(todayLink(publishedFolder(dataDir)))
  mkdirSync(live)
  const prices = path.join(publishedFolder(dataDir), 'current/prices.parquet')
  const today = todayFile(1e12, hash('sha256', readFileSync(prices)))
  copyFileSync(prices, path.join(live, today))
  switchLink(todayLink(publishedFolder(dataDir)), today)
  backUp(dataDir, path.join(dataDir, 'backup.db'))
  await restore(`${dataDir}-restored`, path.join(dataDir, 'backup.db'))
  await makeSimulatedChain({ folder, seed, endDay: firstDay + days + 3, size: 'tiny' })
  copyFolder(dataDir, expected)
  await update(settingsFor(folder, expected), silent)
  return { folder, dataDir, expected }
}

const copyFolder = (from: string, to: string): void => {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}

/** An update must publish what one without damage does, or refuse and leave what was published. */
async function checkUpdate(dataDir: string, intact: FlipFolder, force: boolean): Promise<Verdict> {
  const before = currentGenerationId(dataDir)
  try {
    await update(settingsFor(intact.folder, dataDir), silent, { force })
  } catch (error) {
    if (currentGenerationId(dataDir) === before) throw error
    return wrong(`published, then: ${error}`)
  }
  const different = await findDifferences(currentFolder(dataDir), currentFolder(intact.expected), intact.folder)
  return different.length > 0 ? wrong(`published differently: ${different.join(', ')}`) : identical
}

const currentFolder = (dataDir: string): string =>
  path.join(publishedFolder(dataDir), currentGenerationId(dataDir) ?? '')

/**
 * Tables with other rows. Files may differ: a repeated computation cuts them into other row groups.
 */
async function findDifferences(one: string, other: string, folder: string): Promise<string[]> {
  const listTables = (of: string): string[] => readdirSync(of).filter((name) => name.endsWith('.parquet'))
  const names = new Set([...listTables(one), ...listTables(other)])
  const different = [...names].filter((name) => {
    const [bytes, expected] = [one, other]
      .map((of) => path.join(of, name))
      .map((at) => existsSync(at) && readFileSync(at))
    return !bytes || !expected || !bytes.equals(expected)
  })
  if (different.length === 0) return []
  return withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, async (connection) => {
    const wrongTables: string[] = []
    for (const name of different) {
      const [read, expected] = [one, other].map((of) => quotedString(path.join(of, name)))
      const sql = `FROM (FROM ${read} EXCEPT ALL FROM ${expected}) UNION ALL (FROM ${expected} EXCEPT ALL FROM ${read})`
      const rows = await connection.runAndReadAll(sql).then(
        (result) => result.currentRowCount,
        () => -1,
      )
      if (rows !== 0) wrongTables.push(name)
    }
    return wrongTables
  })
}

export interface FlipPlan {
  readonly seed: number
  /**
   * Flips of files that have a check of their own; with `isWhole` of all files, which an update
   * checks if nothing else does.
   */
  readonly checks: number
  /**
   * Flips of files that updates read, each followed by an update: the first plain, the second with
   * `force`, and so on.
   */
  readonly updates: number
  readonly isWhole?: boolean
}

/** Flips random bits, one at a time, each in a fresh copy of the folder. */
export async function runFlips(
  intact: FlipFolder,
  { seed: of, checks, updates, isWhole = false }: FlipPlan,
): Promise<Flip[]> {
  const random = new Random(of)
  const files = listFiles(intact.dataDir).filter((name) => statSync(path.join(intact.dataDir, name)).size > 0)
  const named = Object.entries(kinds)
  const hitBy = (chosen: typeof named, count: number): typeof named => {
    const slots = chosen.flatMap((one) => Array.from({ length: one[1].share }, () => one))
    return Array.from({ length: count }, (_, i) => slots[Math.floor(((i + 0.5) * slots.length) / count)]!)
  }
  const chosenChecks = hitBy(
    named.filter(([, { check }]) => isWhole || check),
    checks,
  )
  const chosenUpdates = hitBy(
    named.filter(([, { isUnread }]) => !isUnread),
    updates,
  )
  const flips: Flip[] = []
  for (const [i, [kind, { files: pattern, check }]] of [...chosenChecks, ...chosenUpdates].entries()) {
    const candidates = files.filter((name) => pattern.test(name))
    const name = candidates[random.between(0, candidates.length - 1)]
    if (name === undefined) throw new Error(`the folder has no files of ${kind}`)
    const bit = random.between(0, 8 * statSync(path.join(intact.dataDir, name)).size - 1)
    const dataDir = path.join(intact.folder, 'run')
    copyFolder(intact.dataDir, dataDir)
    const file = path.join(dataDir, name)
    flipBit(file, bit >> 3, 1 << (bit & 7))
    const isCheck = check !== undefined && i < chosenChecks.length
    const force = i % 2 === 1
    const work = async () => (isCheck ? check(dataDir, file, intact) : checkUpdate(dataDir, intact, force))
    const verdict = await work().catch((error: unknown) => judgeError(error, file))
    flips.push({ kind: isCheck ? kind : `${kind}, update${force ? ' --force' : ''}`, file: name, bit, ...verdict })
  }
  return flips
}

/** Flips bits of tables that a server has open, and waits until it reports and withdraws them. */
export async function runServedFlips(intact: FlipFolder, count: number): Promise<Flip[]> {
  const random = new Random(1)
  const flips: Flip[] = []
  const dataDir = path.join(intact.folder, 'run')
  for (let i = 0; i < count; i++) {
    copyFolder(intact.dataDir, dataDir)
    const settings = apiSettings.parse({ PORT: '0', ACCESS: 'open' })
    const log = pino({ level: 'silent' })
    const server = await startServer({
      ...settings,
      DATA_DIR: dataDir,
      MEMORY_LIMIT: '1GB',
      log,
      verifyIntervalMs: 200,
    })
    try {
      const names = readdirSync(currentFolder(dataDir)).filter((name) => name.endsWith('.parquet'))
      const name = names[random.between(0, names.length - 1)]!
      const target = `${server.url}/v1/tables/${name}`
      if ((await fetch(target)).status !== 200) throw new Error(`${name} is not served`)
      const file = path.join(currentFolder(dataDir), name)
      const bit = random.between(0, 8 * statSync(file).size - 1)
      flipBit(file, bit >> 3, 1 << (bit & 7))
      const until = performance.now() + 10_000
      let [health, status] = ['', 0]
      while (performance.now() < until && !(health.includes('generation_damaged') && status === 503)) {
        await sleep(50)
        health = await (await fetch(`${server.url}/health`)).text()
        status = (await fetch(target)).status
      }
      const verdict = status === 503 ? refused('is withdrawn') : wrong(`served with ${status}; ${health}`)
      flips.push({ kind: 'tables of a running server', file: name, bit, ...verdict })
    } finally {
      await server.close()
    }
  }
  return flips
}
