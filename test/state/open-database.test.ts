import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { openDatabase } from '#state/open-database.ts'
import { ProvedSegments, readProvedBlocks } from '#state/proved-segments.ts'
import { RunJournal, readRunJournal } from '#state/run-journal.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-databases-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const schema = ['CREATE TABLE things (name TEXT PRIMARY KEY, number INTEGER) STRICT']

function fill(name: string): string {
  const database = openDatabase(dataDir, name, schema)
  const add = database.prepare('INSERT INTO things VALUES (?, ?)')
  for (let i = 0; i < 500; i++) add.run(`thing ${i}`, i)
  database.close()
  return path.join(dataDir, 'state', `${name}.db`)
}

/** Overwrites the header of a page behind the first, as a lost sector would. */
function damagePage(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 4096, 4096 + 64)
  writeFileSync(file, bytes)
}

test('accounts in a damaged file are refused with file and cure, and stay where they are', () => {
  const file = fill('accounts')
  damagePage(file)
  const before = readFileSync(file)
  const refused = expect.objectContaining({
    code: 'data_folder_damaged',
    message: expect.stringContaining(`${file} is damaged: `),
    cure: expect.stringContaining('restore a backup'),
  })
  expect(() => SqliteAccounts.open(dataDir)).toThrow(refused)
  expect(() => SqliteAccounts.openReadOnly(dataDir, dataDir)).toThrow(refused)
  writeFileSync(file, before.fill(0, 0, 16))
  expect(() => SqliteAccounts.open(dataDir)).toThrow(refused)
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('accounts in a file that was emptied are refused, and a start that was killed is continued', () => {
  const state = path.join(dataDir, 'state')
  const file = path.join(state, 'accounts.db')
  mkdirSync(state)
  writeFileSync(file, '')
  void SqliteAccounts.open(dataDir).close()
  for (const name of ['limits.db', 'secrets.key']) {
    for (const log of ['', '-wal', '-shm']) rmSync(`${file}${log}`, { force: true })
    writeFileSync(path.join(state, name), '')
    writeFileSync(file, '')
    const refused = expect.objectContaining({
      code: 'data_folder_damaged',
      message: expect.stringContaining(`${file} is damaged: it is empty`),
      cure: expect.stringContaining('restore a backup'),
    })
    expect(() => SqliteAccounts.open(dataDir)).toThrow(refused)
    expect(() => SqliteAccounts.openReadOnly(dataDir, dataDir)).toThrow(refused)
    rmSync(file)
    void SqliteAccounts.open(dataDir).close()
    rmSync(path.join(state, name))
  }
})

test('tables of another version are refused with file and cure', () => {
  openDatabase(dataDir, 'accounts', [...schema, ...Array<string>(8).fill('')]).close()
  const refused = expect.objectContaining({
    code: 'data_folder_mismatch',
    message: expect.stringContaining(`${path.join(dataDir, 'state/accounts.db')} has schema 9`),
    cure: expect.stringContaining('choose another data folder'),
  })
  expect(() => openDatabase(dataDir, 'accounts', schema)).toThrow(refused)
  expect(() => SqliteAccounts.open(dataDir)).toThrow(refused)
  expect(() => SqliteAccounts.openReadOnly(dataDir, dataDir)).toThrow(refused)
})

test('an index that has lost an entry is noticed', () => {
  const file = fill('accounts')
  const database = new DatabaseSync(file, { defensive: false })
  database.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name LIKE 'sqlite_auto%'`)
  database.close()
  expect(() => openDatabase(dataDir, 'accounts', schema)).toThrow(
    expect.objectContaining({ code: 'data_folder_damaged' }),
  )
})

test('a damaged file that holds no data is set aside and made again', () => {
  const file = fill('limits')
  damagePage(file)
  writeFileSync(`${file}-wal`, 'of the damaged file')
  const database = openDatabase(dataDir, 'limits', schema)
  expect(database.prepare('SELECT count(*) AS count FROM things').get()).toEqual({ count: 0 })
  database.close()
  expect(existsSync(`${file}.damaged`)).toBe(true)
})

test('a damaged journal of runs is set aside by the next run', () => {
  const journal = new RunJournal(dataDir)
  for (let i = 0; i < 10; i++) journal.end(journal.begin('update'), 'ok', 'x'.repeat(1_000))
  journal.close()
  damagePage(path.join(dataDir, 'state/runs.db'))
  expect(() => readRunJournal(dataDir, (runs) => runs.newest(200))).toThrow()
  const next = new RunJournal(dataDir)
  next.end(next.begin('fetch'), 'ok', null)
  next.close()
  expect(readRunJournal(dataDir, (runs) => runs.newest(2))).toMatchObject([{ job: 'fetch', outcome: 'ok' }])
  expect(existsSync(path.join(dataDir, 'state/runs.db.damaged'))).toBe(true)
})

test('a damaged registry of proofs counts as unknown, and is made again', () => {
  const registry = new ProvedSegments(dataDir)
  registry.setChain(Array.from({ length: 300 }, (_, i) => ({ key: `segment ${i}`, blocks: 1 })))
  registry.close()
  const file = path.join(dataDir, 'raw/proved-segments.db')
  damagePage(file)
  expect(readProvedBlocks(dataDir, 300)).toBeUndefined()
  const next = new ProvedSegments(dataDir)
  expect(next.counts).toEqual({ blocks: 0, of: 0 })
  next.close()
  expect(existsSync(`${file}.damaged`)).toBe(true)
})
