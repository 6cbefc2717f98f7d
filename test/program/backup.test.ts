import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountStores, openAccountStores } from '#accounts/services.ts'
import { backUp, restore } from '#root/cli/backup.ts'
import { formatIntactJson } from '#sql/intact-file.ts'
import { RunJournal, readRunJournal } from '#state/run-journal.ts'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'
import { cheapPasswords } from '#test/api/support/test-server.ts'
import { addFirstValues, appendFirstValues, firstValuesOf } from '#test/support/first-values.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { Random } from '#test/support/random.ts'

const folder = temporaryFolder('backup')
const dataDir = path.join(folder, 'data')
const saved = path.join(folder, 'saved.db')
const marketFile = 'raw/market/etf/import/2024-01.parquet'
const run = (...args: readonly string[]) => coinstrata([...args, '--data-dir', dataDir])
const into = (target: string, file = saved) => coinstrata(['restore', file, '--data-dir', path.join(folder, target)])

const keptRows = 'published/live/after-blocks-2026-11-01-1-1-0.parquet'
let token = ''
/** Made before the backup, and while it is made. */
const keys: string[] = []
let services: AccountStores

async function addKey(email: string): Promise<void> {
  await services.accounts.create(email, 'pro', 'correct horse battery')
  const { stdout } = await run('keys', 'create', email)
  keys.push(stdout.slice(0, stdout.indexOf('\n')))
}

beforeAll(async () => {
  const funds = path.join(folder, 'etf.csv')
  writeFileSync(funds, 'ticker,date,holdings_btc\nIBIT,2024-01-12,100\nIBIT,2024-03-12,200\n')
  expect((await run('import', 'etf', funds)).stderr).not.toContain('[')
  mkdirSync(path.join(dataDir, 'raw/segments/one'), { recursive: true })
  writeFileSync(path.join(dataDir, 'raw/segments/one/days.parquet'), 'computed')
  mkdirSync(path.join(dataDir, 'published/live'), { recursive: true })
  writeFileSync(path.join(dataDir, 'published/live/today-1.parquet'), 'computed')
  writeFileSync(path.join(dataDir, keptRows), 'kept')
  mkdirSync(path.join(dataDir, 'labels'))
  writeFileSync(path.join(dataDir, 'labels/Bank, NA & Söhne.csv'), 'address,name\n')
  writeFileSync(path.join(dataDir, 'labels/label_days.parquet'), 'computed')
  await publishSmallGeneration(dataDir)
  await addFirstValues(dataDir, 'small', [['price', '2024-02-04', 400]])
  await appendFirstValues(dataDir)
  rmSync(path.join(dataDir, 'published', 'small'), { recursive: true })
  rmSync(path.join(dataDir, 'published', 'current'))
  services = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
  for (let i = 0; i < 5; i++) await addKey(`user${i}@example.org`)
  const address = 'https://app.example/'
  const app = { client_id: `${address}client.json`, client_name: 'App', redirect_uri: address }
  const allowed = {
    account_id: 1,
    resource: 'https://chain.example/mcp/account',
    tier: 'pro',
    may_refresh: true,
    code_challenge: hash('sha256', 'verifier', 'base64url'),
  } as const
  const code = await services.grants.add({ ...app, ...allowed })
  token = (await services.tokens.redeem(code ?? '', 'verifier', undefined, app)).access_token
})
afterAll(async () => {
  await services.close()
  rmSync(folder, { recursive: true })
})

/** Replaces text of `backup.json`, with the checksum that fits. */
function changeContents(archive: DatabaseSync, from: string, to: string): DatabaseSync {
  const stored = archive.prepare(`SELECT CAST(data AS TEXT) AS text FROM sqlar WHERE name = 'backup.json'`).get()
  const { sha256: _, ...contents } = JSON.parse(String(stored?.text).replace(from, to))
  archive.prepare(`UPDATE sqlar SET data = ? WHERE name = 'backup.json'`).run(Buffer.from(formatIntactJson(contents)))
  return archive
}

describe('a backup', () => {
  it('is taken while accounts are written, and brings back every account and key', async () => {
    // The last write is in the write-ahead log, not yet in the file.
    expect(statSync(path.join(dataDir, 'state', 'accounts.db-wal')).size).toBeGreaterThan(0)
    const writing = (async () => {
      for (let i = 5; i < 8; i++) await addKey(`user${i}@example.org`)
    })()
    const before = keys.length
    const journal = new RunJournal(dataDir)
    journal.end(journal.begin('update'), 'ok', null)
    journal.begin('fetch')
    journal.close()
    const { exitCode, stdout, stderr } = await run('backup', saved)
    await writing
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/saved\.db: \d+ files/)
    expect(statSync(saved).mode & 0o777).toBe(0o600)

    expect((await into('back')).exitCode).toBe(0)
    const back = await openAccountStores({ DATA_DIR: path.join(folder, 'back') }, undefined, cheapPasswords)
    try {
      expect(await back.tokens.check(token)).toMatchObject({ accountId: 1, tier: 'pro' })
      for (const key of keys.slice(0, before)) expect(await back.keys.check(key)).toMatchObject({ tier: 'pro' })
    } finally {
      await back.close()
    }
    // A run during the backup has neither failed nor been killed.
    expect(readRunJournal(path.join(folder, 'back'), (copy) => copy.newest(1))).toMatchObject([{ job: 'update' }])
    const restored = readFileSync(path.join(folder, 'back', marketFile))
    expect(restored.equals(readFileSync(path.join(dataDir, marketFile)))).toBe(true)
    expect(existsSync(path.join(folder, 'back', 'raw', 'segments', 'one'))).toBe(false)
    expect(readdirSync(path.join(folder, 'back', 'published/live'))).toEqual([path.basename(keptRows)])
    expect(readdirSync(path.join(folder, 'back/labels'))).toEqual(['Bank, NA & Söhne.csv'])
    expect(await firstValuesOf(path.join(folder, 'back'))).toEqual(['price 2024-02-04 400.0 small'])
    expect(readdirSync(folder).filter((name) => name.startsWith('.tmp-'))).toEqual([])
  })

  it('is not made of first published values that are damaged, and leaves out what was set aside', async () => {
    const file = path.join(dataDir, 'first_published/2024-02.parquet')
    const whole = readFileSync(file)
    flipBit(file)
    const { exitCode, stderr } = await run('backup', path.join(folder, 'damaged.db'))
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('[data_folder_damaged]')])
    renameSync(file, `${file}.damaged`)
    expect((await run('backup', path.join(folder, 'without.db'))).exitCode).toBe(0)
    expect((await into('without', path.join(folder, 'without.db'))).exitCode).toBe(0)
    expect(existsSync(path.join(folder, 'without', 'first_published'))).toBe(false)
    rmSync(`${file}.damaged`)
    writeFileSync(file, whole)
  })

  it('takes no file that exists, and saves nothing of nothing', async () => {
    expect((await run('backup', saved)).stderr).toContain('[invalid_argument]')
    const nothing = path.join(folder, 'nothing.db')
    const { stderr } = await coinstrata(['backup', nothing, '--data-dir', path.join(folder, 'empty')])
    expect(stderr).toContain('[data_not_ready]')
    expect(existsSync(nothing)).toBe(false)
  })

  it('is not put into a folder that holds such things', async () => {
    const { exitCode, stderr } = await into('back')
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('[data_folder_mismatch]')])
  })

  it.each([
    [
      'a byte of a file is another',
      (archive: DatabaseSync) => archive.exec(`UPDATE sqlar SET data = 'other' WHERE name = '${marketFile}'`),
    ],
    [
      'a file is missing',
      (archive: DatabaseSync) => archive.exec(`DELETE FROM sqlar WHERE name = 'state/accounts.db'`),
    ],
    [
      'a file points outside the folder',
      (archive: DatabaseSync) =>
        changeContents(archive, marketFile, 'raw/market/../../../out').exec(
          `UPDATE sqlar SET name = 'raw/market/../../../out' WHERE name = '${marketFile}'`,
        ),
    ],
    [
      'its list of files is changed',
      (archive: DatabaseSync) =>
        archive.exec(
          `UPDATE sqlar SET data = CAST(replace(CAST(data AS TEXT), 'created_at": "2', 'created_at": "3') AS BLOB)
           WHERE name = 'backup.json'`,
        ),
    ],
  ])('is refused whole where %s', async (what, change) => {
    const damaged = path.join(folder, `${what.replaceAll(' ', '-')}.db`)
    writeFileSync(damaged, readFileSync(saved))
    const archive = new DatabaseSync(damaged)
    change(archive)
    archive.close()
    const target = `from ${what}`
    const { exitCode, stderr } = await into(target, damaged)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[invalid_file]')])
    expect(existsSync(path.join(folder, target))).toBe(false)
  })

  it('keeps the network and format of the folder, and refuses another format', async () => {
    const [from, to] = [path.join(folder, 'owned'), path.join(folder, 'owned.db')]
    const owner = path.join(from, 'raw', 'network.json')
    mkdirSync(path.dirname(owner), { recursive: true })
    const written = (format: number) =>
      JSON.stringify({ network: 'signet', genesis_hash: 'any', format, readable_since: '1.9.0' })
    writeFileSync(owner, written(1))
    expect((await coinstrata(['backup', to, '--data-dir', from])).exitCode).toBe(0)
    expect((await into('owned-back', to)).exitCode).toBe(0)
    expect(readFileSync(path.join(folder, 'owned-back', 'raw', 'network.json'), 'utf8')).toBe(written(1))
    expect((await into('owned-back', to)).stderr).toContain('raw/network.json already exists')

    const archive = new DatabaseSync(to)
    const change = { old: hash('sha256', written(1)), new: hash('sha256', written(2)), text: Buffer.from(written(2)) }
    archive.prepare(`UPDATE sqlar SET data = ? WHERE name = 'raw/network.json'`).run(change.text)
    changeContents(archive, change.old, change.new).close()
    const { exitCode, stderr } = await into('owned-newer', to)
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('install a version that reads it, such as 1.9.0')])
    expect(existsSync(path.join(folder, 'owned-newer'))).toBe(false)
  })

  it('is refused or restored as it was, whichever bit of it is another', async () => {
    const intact = readFileSync(saved)
    const filesOf = (target: string) =>
      readdirSync(target, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(parquet|json|db)$/.test(name) && !name.endsWith('lock.db'))
        .map((name) => [name, hash('sha256', readFileSync(path.join(target, name)))])
        .sort()
    await restore(path.join(folder, 'whole'), saved)
    const expected = filesOf(path.join(folder, 'whole'))
    const contents = intact.indexOf('"created_at"')
    const random = new Random(33)
    const bits = Array.from({ length: 120 }, () => random.between(0, 8 * intact.length - 1))
    // Also those of the list of contents: a flipped digit of a month would make two names the same.
    bits.push(...Array.from({ length: 60 }, () => 8 * contents + random.between(0, 8 * 700 - 1)))
    const file = path.join(folder, 'flipped.db')
    let refused = 0
    for (const bit of bits) {
      const bytes = Buffer.from(intact)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      writeFileSync(file, bytes)
      const target = path.join(folder, `flipped-${bit}`)
      const error: unknown = await restore(target, file).then(
        () => undefined,
        (caught: unknown) => caught,
      )
      if (error === undefined) expect(filesOf(target), `bit ${bit}`).toEqual(expected)
      else {
        expect(error, `bit ${bit}`).toMatchObject({ code: 'invalid_file', cure: expect.any(String) })
        expect(existsSync(target)).toBe(false)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(60)
  })

  it('is not taken of damaged files', async () => {
    const damaged = path.join(folder, 'damaged')
    cpSync(path.join(folder, 'back'), damaged, { recursive: true })
    const file = path.join(damaged, marketFile)
    const bytes = readFileSync(file)
    bytes[100]! ^= 1
    writeFileSync(file, bytes)
    const target = path.join(folder, 'of-damaged.db')
    const { exitCode, stderr } = await coinstrata(['backup', target, '--data-dir', damaged])
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('[data_folder_damaged]')])
    expect(stderr).toContain(file)
    rmSync(file)
    const database = path.join(damaged, 'state/accounts.db')
    writeFileSync(database, readFileSync(database).fill(0xa5, 4096, 4160))
    expect(() => backUp(damaged, target)).toThrow(
      expect.objectContaining({ code: 'data_folder_damaged', message: expect.stringContaining(database) }),
    )
    expect(existsSync(target)).toBe(false)
  })

  it('is refused where it is something else', async () => {
    const text = path.join(folder, 'text')
    writeFileSync(text, 'text')
    expect((await into('of-text', text)).stderr).toContain('[invalid_file]')
    expect((await into('of-nothing', path.join(folder, 'none'))).stderr).toContain('there is no such file')
  })
})
