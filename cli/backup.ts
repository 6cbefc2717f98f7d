import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Command } from 'commander'
import { z } from 'zod'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import { formatBytes, formatCount } from '#base/quantities.ts'
import { version } from '#base/version.ts'
import { folderNetwork, ownerName, parseOwner, withDataFolder } from '#compute/data-folder.ts'
import { verifyFile } from '#ingest/market/checksum.ts'
import { publishFile, replaceFile, unfinishedPath } from '#sql/files.ts'
import { formatIntactJson, parseIntactJson } from '#sql/intact-file.ts'
import { diskFull } from '#sql/parquet.ts'
import { verifyChecksum } from '#sql/parquet-checksum.ts'
import { refuseDamage } from '#state/open-database.ts'
import { forgetUnendedRuns } from '#state/run-journal.ts'
import { definePrintingCommand } from './flags.ts'
import type { ProcessContext } from './process-context.ts'

/** A running service writes to these: VACUUM INTO copies them with their write-ahead logs. */
const runs = 'state/runs.db'
const databases = ['state/accounts.db', 'state/limits.db', runs]
/**
 * Not recomputable: the network, observations from sources without history, times of last requests,
 * rows after blocks, first published values, lists of addresses and definitions of metrics.
 */
const keptRows = 'published/live/after-'
const firstValues = 'first_published/'
const isBackedUp = (name: string): boolean =>
  name === ownerName ||
  name.startsWith('raw/market/') ||
  name.startsWith(keptRows) ||
  /^(labels\/[^/]+\.csv|metrics\/[^/]+\.json)$/.test(name) ||
  (name.startsWith(firstValues) && name.endsWith('.parquet')) ||
  /^state\/market-[\w-]+\.json$/.test(name)

const contentsName = 'backup.json'
const contentsSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  created_at: z.iso.datetime(),
  /** SHA-256 by path in the data folder. */
  files: z.record(
    z.string().regex(/^((raw|state|published|first_published)\/[\w./-]+|labels\/[^/]+\.csv|metrics\/[^/]+\.json)$/),
    z.string(),
  ),
})

export function addBackupCommands(program: Command, context: ProcessContext): void {
  definePrintingCommand(
    program
      .command('backup')
      .argument('<file>', 'a new file')
      .description(
        'save what cannot be computed again into one file, even while the data folder is in use: accounts, keys, market data, runs',
      ),
    context,
    async ({ DATA_DIR: dataDir, DATABASE_URL: url }, _, [file = '']) =>
      backUp(dataDir, file) +
      (url === undefined ? '' : 'accounts and keys are in PostgreSQL (DATABASE_URL): save them with pg_dump\n'),
  )
  definePrintingCommand(
    program
      .command('restore')
      .argument('<file>', 'a file that "coinstrata backup" made')
      .description('restore a backup into a new data folder'),
    context,
    ({ DATA_DIR: dataDir }, _, [file = '']) => restore(dataDir, file),
  )
}

/**
 * Saves everything that cannot be recomputed into an SQLite archive (`sqlite3 -A -t FILE` lists it)
 * that only its owner can read, also while the folder is in use.
 */
export function backUp(dataDir: string, file: string): string {
  if (existsSync(file)) {
    throw new CoinstrataError('invalid_argument', `${file} already exists`, { cure: 'name a new file' })
  }
  const target = path.resolve(file)
  const unfinished = unfinishedPath(target)
  try {
    const archive = new DatabaseSync(unfinished)
    chmodSync(unfinished, 0o600)
    archive.exec(
      'CREATE TABLE sqlar (name TEXT PRIMARY KEY, mode INTEGER, mtime INTEGER, sz INTEGER, data BLOB); BEGIN',
    )
    const add = archive.prepare('INSERT INTO sqlar VALUES (?, ?, ?, ?, ?)')
    const files: Record<string, string> = {}
    let bytes = 0
    const put = (name: string, data: Uint8Array): void => {
      add.run(name, 0o100600, Math.floor(Date.now() / 1000), data.length, data)
      bytes += data.length
    }
    for (const [name, data] of readContents(dataDir, path.dirname(target))) {
      put(name, data)
      files[name] = sha256(data)
    }
    if (Object.keys(files).length === 0) {
      throw new CoinstrataError('data_not_ready', `${dataDir} holds nothing to save`, {
        cure: 'name the data folder with --data-dir (DATA_DIR)',
      })
    }
    const contents = { format: 1, version, created_at: new Date().toISOString(), files }
    put(contentsName, Buffer.from(formatIntactJson(contents)))
    archive.exec('COMMIT')
    archive.close()
    publishFile(unfinished, target)
    return `${target}: ${formatCount(Object.keys(files).length)} files, ${formatBytes(bytes)}; keep it as safe as the data folder\n`
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw diskFull(cause, target) ?? cause
  }
}

function* readContents(dataDir: string, temporary: string): Generator<[name: string, data: Uint8Array]> {
  for (const name of databases) {
    const file = path.join(dataDir, name)
    if (!existsSync(file)) continue
    const copy = unfinishedPath(path.join(temporary, path.basename(file)))
    using database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
    try {
      refuseDamage(database, file)
      database.prepare('VACUUM INTO ?').run(copy)
      if (name === runs) forgetUnendedRuns(copy)
      yield [name, readFileSync(copy)]
    } finally {
      rmSync(copy, { force: true })
    }
  }
  for (const folder of ['raw', 'state', path.dirname(keptRows), firstValues.slice(0, -1), 'labels', 'metrics']) {
    const entries = existsSync(path.join(dataDir, folder))
      ? readdirSync(path.join(dataDir, folder), { recursive: true, encoding: 'utf8' })
      : []
    for (const entry of entries.sort()) {
      const name = `${folder}/${entry.split(path.sep).join('/')}`
      const isUnfinished = path.basename(name).startsWith('.')
      if (!isBackedUp(name) || isUnfinished) continue
      const file = path.join(dataDir, name)
      const data = readIfFile(file)
      if (data && name.startsWith('raw/') && name.endsWith('.parquet')) verifyFile(file, data)
      if (data && name.startsWith(firstValues) && verifyChecksum(data) === undefined) {
        throw new CoinstrataError('data_folder_damaged', `${file} is damaged: it does not match its checksum`, {
          cure: 'check the disk; put the file of an earlier backup in its place, or remove it and do without its values',
        })
      }
      if (data) yield [name, data]
    }
  }
}

function readIfFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'EISDIR')) return undefined
    throw error
  }
}

const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** Checks the whole backup before it writes; existing files are never replaced. */
export async function restore(dataDir: string, file: string): Promise<string> {
  const { created_at, contents } = readBackup(file)
  // A folder without a network may have a format already.
  const isTaken = (name: string): boolean =>
    name === ownerName ? folderNetwork(dataDir) !== undefined : existsSync(path.join(dataDir, name))
  const existing = Object.keys(contents).find(isTaken)
  if (existing !== undefined) {
    throw new CoinstrataError('data_folder_mismatch', `${path.join(dataDir, existing)} already exists`, {
      cure: 'restore into a new data folder (DATA_DIR or --data-dir), and use that from then on',
    })
  }
  await withDataFolder(dataDir, async () => {
    for (const [name, data] of Object.entries(contents)) {
      const target = path.join(dataDir, name)
      mkdirSync(path.dirname(target), { recursive: true })
      replaceFile(target, data)
      if (name.endsWith('.db')) chmodSync(target, 0o600)
    }
  })
  const count = formatCount(Object.keys(contents).length)
  return `${dataDir}: ${count} files of ${created_at} are restored; "coinstrata update" computes the rest again\n`
}

const rowSchema = z.object({ name: z.string(), data: z.instanceof(Uint8Array) })

function readBackup(file: string) {
  const damaged = (what: string, cause?: unknown): CoinstrataError =>
    new CoinstrataError('invalid_file', `${file} is not a complete backup: ${what}`, {
      cause,
      cure: 'restore from another file that "coinstrata backup" made',
    })
  if (!existsSync(file)) throw damaged('there is no such file')
  let rows: z.infer<typeof rowSchema>[]
  try {
    using archive = new DatabaseSync(file, { readOnly: true })
    rows = z.array(rowSchema).parse(archive.prepare('SELECT name, data FROM sqlar').all())
  } catch (cause) {
    throw damaged(cause instanceof Error ? cause.message : String(cause), cause)
  }
  const data = new Map(rows.map((row) => [row.name, row.data]))
  let listed: z.infer<typeof contentsSchema>
  try {
    listed = parseIntactJson(Buffer.from(data.get(contentsName) ?? []).toString(), contentsSchema)
  } catch (cause) {
    throw damaged(`its ${contentsName} is not understood`, cause)
  }
  const count = Object.keys(listed.files).length + 1
  if (count !== rows.length) throw damaged(`it holds ${rows.length} files instead of ${count}`)
  const contents: Record<string, Uint8Array> = {}
  for (const [name, expected] of Object.entries(listed.files)) {
    const bytes = data.get(name)
    if (!bytes || sha256(bytes) !== expected) throw damaged(`${name} does not match what was saved`)
    if (!databases.includes(name) && !isBackedUp(name)) throw damaged(`${name} does not belong in a backup`)
    if (name.split('/').includes('..')) throw damaged(`${name} points outside the folder`)
    contents[name] = bytes
  }
  const owner = contents[ownerName]
  if (owner) parseOwner(Buffer.from(owner).toString('utf8'), `${ownerName} of ${file}`)
  return { created_at: listed.created_at, contents }
}
