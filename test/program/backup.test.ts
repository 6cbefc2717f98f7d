import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountStores, openAccountStores } from '#accounts/services.ts'
import { RunJournal, readRunJournal } from '#state/run-journal.ts'
import { cheapPasswords } from '#test/api/support/test-server.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('backup')
const dataDir = path.join(folder, 'data')
const saved = path.join(folder, 'saved.db')
const marketFile = 'raw/market/prices/csv/2024-01.parquet'
const run = (...args: readonly string[]) => coinstrata([...args, '--data-dir', dataDir])
const into = (target: string, file = saved) => coinstrata(['restore', file, '--data-dir', path.join(folder, target)])

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
  for (const [name, text] of Object.entries({ [marketFile]: 'bytes', 'raw/segments/one/days.parquet': 'computed' })) {
    mkdirSync(path.join(dataDir, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(dataDir, name), text)
  }
  services = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
  for (let i = 0; i < 5; i++) await addKey(`user${i}@example.org`)
  const app = { clientId: 'https://app.example/client.json', clientName: 'App', redirectUri: 'https://app.example/' }
  const allowed = {
    accountId: 1,
    resource: 'https://chain.example/mcp/account',
    tier: 'pro',
    mayRefresh: true,
  } as const
  const code = await services.grants.add({ ...app, ...allowed, codeChallenge: hash('sha256', 'verifier', 'base64url') })
  token = (await services.tokens.redeem(code ?? '', 'verifier', undefined, app)).accessToken
})
afterAll(async () => {
  await services.close()
  rmSync(folder, { recursive: true })
})

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
    expect(readFileSync(path.join(folder, 'back', marketFile), 'utf8')).toBe('bytes')
    expect(existsSync(path.join(folder, 'back', 'raw', 'segments', 'one'))).toBe(false)
    expect(readdirSync(folder).filter((name) => name.startsWith('.tmp-'))).toEqual([])
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
        archive.exec(
          `UPDATE sqlar SET data = CAST(replace(CAST(data AS TEXT), '${marketFile}', 'raw/market/../../../out') AS BLOB)
           WHERE name = 'backup.json'; UPDATE sqlar SET name = 'raw/market/../../../out' WHERE name = '${marketFile}'`,
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

  it('is refused where it is something else', async () => {
    const text = path.join(folder, 'text')
    writeFileSync(text, 'text')
    expect((await into('of-text', text)).stderr).toContain('[invalid_file]')
    expect((await into('of-nothing', path.join(folder, 'none'))).stderr).toContain('there is no such file')
  })
})
