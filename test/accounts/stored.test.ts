import { hash, scryptSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { Passwords } from '#accounts/passwords.ts'
import { openAccountStores } from '#accounts/services.ts'
import { cheapPasswords, password, temporaryDataDir } from '../api/support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
afterAll(remove)

/** A file as version 0.1 wrote it, with an account, a key and a session. */
function writeFirstVersion(): { readonly token: string; readonly key: string; readonly expires: number } {
  const folder = path.join(dataDir, 'state')
  mkdirSync(folder, { recursive: true })
  const database = new DatabaseSync(path.join(folder, 'accounts.db'))
  database.exec(`
    CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL UNIQUE, password_hash TEXT,
      tier TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
    CREATE TABLE api_keys (id TEXT PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(id), name TEXT NOT NULL,
      hash BLOB NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER) STRICT;
    CREATE INDEX api_keys_of_account ON api_keys(account_id);
    CREATE TABLE sessions (hash BLOB PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(id),
      expires_at INTEGER NOT NULL) STRICT;
    PRAGMA user_version = 1;`)
  const salt = Buffer.from('0123456789abcdef')
  const derived = scryptSync(password, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 })
  const stored = ['scrypt', 2 ** 15, 8, 1, salt.toString('base64url'), derived.toString('base64url')].join('$')
  database
    .prepare('INSERT INTO accounts VALUES (7, ?, ?, ?, ?)')
    .run('old@example.org', stored, 'pro', 1_700_000_000_000)
  database.exec("INSERT INTO accounts VALUES (8, 'invited@example.org', NULL, 'free', 1700000000000)")
  const key = `cs_0123456789ab_${'c'.repeat(48)}`
  const token = 'a'.repeat(64)
  const expires = Date.now() + 86_400_000
  const digest = (text: string) => hash('sha256', text, 'buffer')
  database
    .prepare('INSERT INTO api_keys VALUES (?, 7, ?, ?, ?, NULL, NULL, NULL)')
    .run('cs_0123456789ab', 'laptop', digest(key), 1_700_000_000_000)
  database.prepare('INSERT INTO sessions VALUES (?, 7, ?)').run(digest(token), expires)
  database.close()
  return { token, key, expires }
}

test('accounts, keys and sessions of the version before go on, and passwords are hashed anew at the next sign-in', async () => {
  const { token, key, expires } = writeFirstVersion()
  const services = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
  const { accounts, sessions, keys } = services
  expect(await accounts.get(7)).toEqual({
    id: 7,
    email: 'old@example.org',
    tier: 'pro',
    created_at: 1_700_000_000_000,
    verified_at: null,
  })
  // Only the operator could make accounts without a password.
  expect(await accounts.get(8)).toMatchObject({ verified_at: 1_700_000_000_000 })
  expect(await keys.check(key)).toEqual({ id: 'cs_0123456789ab', accountId: 7, tier: 'pro' })
  // Nobody has proved anything lately.
  expect(await sessions.find(token)).toEqual({ accountId: 7, tier: 'pro', confirmedAt: 0 })
  expect(await sessions.list(7, token)).toMatchObject([{ isCurrent: true, user_agent: '', expires_at: expires }])

  const hashNow = () => {
    const database = new DatabaseSync(path.join(dataDir, 'state', 'accounts.db'))
    const row = database.prepare('SELECT password_hash FROM accounts WHERE id = 7').get()
    database.close()
    return String(row?.password_hash)
  }
  expect(await accounts.signIn('old@example.org', 'wrong', 'test')).toBeUndefined()
  expect(hashNow()).toMatch(/^scrypt\$/)
  expect((await accounts.signIn('old@example.org', password, 'test'))?.id).toBe(7)
  const renewed = hashNow()
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect((await accounts.signIn('OLD@example.org', password, 'test'))?.id).toBe(7)
  expect(await accounts.signIn('old@example.org', 'wrong', 'test')).toBeUndefined()
  expect(hashNow()).toBe(renewed)
  await services.close()
})

test('passwords are hashed as OWASP recommends, with a salt each', async () => {
  const passwords = new Passwords()
  const [one, two] = await Promise.all([passwords.hash(password, 'a'), passwords.hash(password, 'b')])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await Promise.all([passwords.verify(password, one, 'a'), passwords.verify('other', two, 'b')])).toEqual([
    true,
    false,
  ])
  expect(passwords.isOutdated(one)).toBe(false)
})

test('a hash of another program holds', async () => {
  // `argon2` of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536
  // -p 1 -l 32.
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const passwords = new Passwords(cheapPasswords)
  expect(await passwords.verify('password', stored, 'a')).toBe(true)
  expect(await passwords.verify('Password', stored, 'a')).toBe(false)
})

test('guesses are worked on two at a time, of callers in turn, and who asks for too many is sent away', async () => {
  const passwords = new Passwords(cheapPasswords)
  // While none has ended, each counts as 70 ms: in five seconds two at a time get through some 140.
  const greedy = Array.from({ length: 150 }, () => passwords.verify('guess', undefined, 'greedy'))
  const other = passwords.verify('guess', undefined, 'other')
  const outcomes = await Promise.allSettled(greedy)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(20)
  for (const outcome of refused) {
    expect(outcome.status === 'rejected' && outcome.reason).toMatchObject({ code: 'sign_in_overloaded', status: 503 })
  }
  expect(await other).toBe(false)
})
