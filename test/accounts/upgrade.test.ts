import { hash } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { accountsSchema } from '#accounts/database/schema.ts'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { openSecretsKey } from '#accounts/secrets-key.ts'
import { createAccountStores } from '#accounts/services.ts'
import { cheapPasswords } from '../api/support/test-server.ts'
import { temporaryFolder } from '../support/program.ts'

/** A table that some files of version 1 have. */
const laterTable =
  'CREATE TABLE alert_quotas (owner INTEGER PRIMARY KEY, day INTEGER NOT NULL, sent INTEGER NOT NULL) STRICT;'

/** A data folder with accounts of version 1.0.0, one of which has a key. */
function releasedAccounts(extra = ''): string {
  const dataDir = temporaryFolder('accounts')
  mkdirSync(path.join(dataDir, 'state'))
  const database = new DatabaseSync(path.join(dataDir, 'state/accounts.db'))
  database.exec(`PRAGMA journal_mode = WAL; ${accountsSchema[0]} ${extra} PRAGMA user_version = 1`)
  database.exec("INSERT INTO accounts (email, tier, created_at) VALUES ('old@example.org', 'pro', 1)")
  const sql = "INSERT INTO api_keys (id, account_id, name, hash, created_at) VALUES ('cs_000000000000', 1, 'old', ?, 2)"
  database.prepare(sql).run(hash('sha256', key, 'buffer'))
  database.close()
  return dataDir
}
const key = `cs_000000000000_${'0'.repeat(48)}`

const storesOf = (dataDir: string, database: SqliteAccounts) =>
  createAccountStores(database, openSecretsKey(dataDir, undefined), undefined, cheapPasswords)

test.each([
  ['as released', ''],
  ['with a table of a later one', laterTable],
])('accounts of the first version are brought up to date, %s', async (_, extra) => {
  const dataDir = releasedAccounts(extra)
  for (let i = 0; i < 2; i++) {
    const stores = storesOf(dataDir, SqliteAccounts.open(dataDir))
    expect(await stores.keys.check(key)).toEqual({
      id: 'cs_000000000000',
      accountId: 1,
      tier: 'pro',
      request: undefined,
    })
    expect((await stores.keys.list(1))[0]).toMatchObject({ name: 'old', limits: null })
    await stores.accounts.setTier('old@example.org', 'pro')
    expect((await stores.accountLog.list(1)).map(({ change }) => change)).toEqual(Array(i + 1).fill('tier set'))
    await stores.close()
  }
  const file = new DatabaseSync(path.join(dataDir, 'state/accounts.db'))
  expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: accountsSchema.length })
  expect(file.prepare('SELECT count(*) AS rows FROM alert_quotas').get()).toEqual({ rows: 0 })
  file.close()
})

test('they are read from a folder that cannot be written, and stay as they are', async () => {
  const dataDir = releasedAccounts()
  const file = path.join(dataDir, 'state/accounts.db')
  chmodSync(path.join(dataDir, 'state'), 0o500)
  const stores = storesOf(dataDir, SqliteAccounts.openReadOnly(dataDir, temporaryFolder('accounts')))
  expect(await stores.keys.check(key)).toMatchObject({ accountId: 1 })
  await expect(stores.accounts.setTier('old@example.org', 'free')).rejects.toThrow(/readonly/)
  await stores.close()
  chmodSync(path.join(dataDir, 'state'), 0o700)
  const database = new DatabaseSync(file)
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
  database.close()
})

// Files of released versions have been made by exactly these statements.
test('the statements of a released version do not change', () => {
  expect(hash('sha256', accountsSchema[0]!.replaceAll(/\s+/g, ' ')).slice(0, 16)).toBe('e0fcd67fe27f4033')
})
