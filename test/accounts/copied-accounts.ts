import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { PostgresAccounts } from '#accounts/database/postgres.ts'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import type { AccountsDatabase, Statements, Value } from '#accounts/database/statements.ts'
import { computeCode } from '#accounts/one-time-codes.ts'
import { copyAccounts } from '#accounts/postgres-copy.ts'
import { openSecretsKey } from '#accounts/secrets-key.ts'
import { createAccountStores, openAccountStores } from '#accounts/services.ts'
import { cheapPasswords, password, temporaryDataDir } from '../api/support/test-server.ts'
import { coinstrata } from '../support/program.ts'

const nameSchema = z.object({ name: z.string() })
const columnSchema = nameSchema.extend({
  type: z.string(),
  isNullable: z.int(),
  parent: z.string().nullable(),
  to: z.string().nullable(),
})
const valueSchema = z.object({ value: z.union([z.string(), z.number()]) })
const rowSchema = z.record(z.string(), z.unknown())
const idSchema = z.object({ id: z.int() })

/** More than one INSERT writes. */
const rowsEach = 120

async function listTables(source: Statements): Promise<string[]> {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid"
  return (await source.all(nameSchema, sql)).map(({ name }) => name)
}

/** Fills every table with distinct values, and NULL where allowed in every third row. */
async function fillTables(source: Statements): Promise<void> {
  for (const name of await listTables(source)) {
    const columns = await source.all(
      columnSchema,
      `SELECT columns.name, columns.type, columns."notnull" = 0 AND columns.pk = 0 AS "isNullable", parents."table" AS parent, parents."to"
         FROM pragma_table_info($name) AS columns LEFT JOIN pragma_foreign_key_list($name) AS parents ON parents."from" = columns.name`,
      { name },
    )
    for (let row = 1; row <= rowsEach; row++) {
      const values: Record<string, Value> = {}
      for (const [place, { name: column, type, isNullable, parent, to }] of columns.entries()) {
        const isNull = isNullable === 1 && row % 3 === 0
        values[column] = isNull
          ? null
          : parent && to
            ? await readValue(source, parent, to, row)
            : createValue(type, place, row)
      }
      const names = Object.keys(values)
      await source.run(`INSERT INTO ${name} (${names.join()}) VALUES (${names.map((one) => `$${one}`).join()})`, values)
    }
  }
}

/** Numbers near the largest safe integer, arbitrary bytes, and texts that need quoting. */
function createValue(type: string, place: number, row: number): Value {
  if (type === 'INTEGER') return Number.MAX_SAFE_INTEGER - 100_000 - 1_000 * place + row
  if (type === 'BLOB') return createHash('sha256').update(`${place} ${row}`).digest()
  return `${place} ${row} ' " \\ \n $1 ₿ 🟠`
}

async function readValue(source: Statements, table: string, column: string, row: number): Promise<Value> {
  const sql = `SELECT ${column} AS value FROM ${table} ORDER BY rowid LIMIT 1 OFFSET $row`
  return (await source.get(valueSchema, sql, { row: row - 1 }))!.value
}

/** All rows in order of insertion, without `rowid`; bytes as hex. */
async function readTable(database: Statements, table: string): Promise<unknown[]> {
  // The only table without a rowid in SQLite.
  const order = table === 'recovery_codes' ? 'account_id, hash' : 'rowid'
  const rows = await database.all(rowSchema, `SELECT * FROM ${table} ORDER BY ${order}`)
  return rows.map(({ rowid: _, ...row }) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
      ]),
    ),
  )
}

/** Tests for copying the accounts of a data folder into PostgreSQL. */
export function testCopiedAccounts(postgresUrl: () => string): void {
  const removals: (() => void)[] = []
  const newFolder = (): string => {
    const { dataDir, remove } = temporaryDataDir()
    removals.push(remove)
    return dataDir
  }
  afterAll(() => {
    for (const remove of removals) remove()
  })
  const newDatabase = async (name: string): Promise<string> => {
    const client = new pg.Client(postgresUrl())
    await client.connect()
    await client.query(`CREATE DATABASE ${name}`)
    await client.end()
    return postgresUrl().replace(/postgres$/, name)
  }
  const within = async <T>(database: AccountsDatabase, work: (one: AccountsDatabase) => Promise<T>): Promise<T> => {
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }

  test('all rows of a data folder are copied as they are, and its order and numbers go on', async () => {
    const place = { DATA_DIR: newFolder(), DATABASE_URL: await newDatabase('copied') }
    await within(SqliteAccounts.open(place.DATA_DIR), async (source) => {
      await fillTables(source)
      // Nobody gets the number of an account that is gone.
      await source.run("INSERT INTO accounts (email, tier, created_at) VALUES ('gone@example.org', 'pro', 0)")
      await source.run("DELETE FROM accounts WHERE email = 'gone@example.org'")
    })
    const said = await copyAccounts(place)
    await within(SqliteAccounts.open(place.DATA_DIR), async (source) => {
      await within(await PostgresAccounts.open(place.DATABASE_URL), async (target) => {
        const names = await listTables(source)
        expect(names.length).toBeGreaterThan(12)
        for (const name of names) {
          const rows = await readTable(source, name)
          expect(rows).toHaveLength(rowsEach)
          expect(await readTable(target, name)).toEqual(rows)
          expect(said).toMatch(new RegExp(`^${name} +${rowsEach}$`, 'm'))
        }
        const [next, nextThere] = [source, target].map((one) =>
          one.get(
            idSchema,
            "INSERT INTO accounts (email, tier, created_at) VALUES ('next@example.org', 'pro', 0) RETURNING id",
          ),
        )
        expect(await nextThere).toEqual(await next)
      })
    })
  })

  test('who could sign in can sign in, with the keys and sessions that there were; nothing is copied over that', async () => {
    const place = { DATA_DIR: newFolder(), DATABASE_URL: await newDatabase('moved') }
    const before = createAccountStores(
      SqliteAccounts.open(place.DATA_DIR),
      openSecretsKey(place.DATA_DIR, undefined),
      undefined,
      cheapPasswords,
    )
    const account = (await before.accounts.create('moved@example.org', 'enterprise', password))!
    const keys = [await before.keys.create(account.id, 'first'), await before.keys.create(account.id, 'second')]
    const session = await before.sessions.start(account.id, 'browser')
    const secret = (await before.factors.begin(account.id))!
    await before.close()
    await copyAccounts(place)
    const after = await openAccountStores(place, undefined, cheapPasswords)
    const { id: accountId, tier } = account
    expect(await after.accounts.signIn('moved@example.org', password, 'test')).toMatchObject({ id: accountId, tier })
    expect(await after.keys.check(keys[0]!.key)).toMatchObject({ accountId, tier })
    const code = computeCode(secret, Math.floor(Date.now() / 30_000))
    const elsewhere = await openAccountStores({ ...place, DATA_DIR: newFolder() }, undefined, cheapPasswords)
    await expect(elsewhere.factors.confirm(accountId, code)).rejects.toMatchObject({ code: 'secrets_key_wrong' })
    await expect(elsewhere.factors.begin(accountId)).rejects.toMatchObject({ code: 'secrets_key_wrong' })
    await elsewhere.close()
    expect(await after.factors.confirm(accountId, code)).toHaveLength(10)
    expect((await after.keys.list(accountId)).map(({ name }) => name)).toEqual(['second', 'first'])
    expect(await after.sessions.find(session)).toMatchObject({ account_id: accountId, tier })
    await after.keys.revoke(keys[0]!.record.id)
    await expect(copyAccounts(place)).rejects.toMatchObject({
      code: 'data_folder_mismatch',
      message: 'the PostgreSQL has accounts already: 1 rows in accounts',
    })
    expect((await after.keys.list(accountId)).map(({ revoked_at }) => revoked_at === null)).toEqual([true, false])
    await after.close()
  })

  test('where a row cannot be copied none is, and nothing is made where there is nothing to copy', async () => {
    const place = { DATA_DIR: newFolder(), DATABASE_URL: await newDatabase('refused') }
    await expect(copyAccounts(place)).rejects.toMatchObject({ code: 'data_not_ready' })
    await within(SqliteAccounts.open(place.DATA_DIR), async (source) => {
      const add = (id: number, name: string) =>
        source.run("INSERT INTO accounts (id, email, tier, created_at) VALUES ($id, $name, 'free', 0)", { id, name })
      await add(1, 'one@example.org')
      // Which PostgreSQL has in no text.
      await add(2, 'two\0@example.org')
      await expect(copyAccounts(place)).rejects.toMatchObject({
        code: 'invalid_file',
        message: expect.stringContaining('accounts.email'),
      })
      await source.run('DELETE FROM accounts WHERE id = 2')
    })
    const command = ['accounts', 'copy', '--data-dir', place.DATA_DIR]
    const copied = await coinstrata(command, { environment: { DATABASE_URL: place.DATABASE_URL } })
    expect(copied).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^accounts +1$/m) })
    expect(copied.stdout + copied.stderr).not.toContain('secret-password')
    expect(await coinstrata(command)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('DATABASE_URL') })
  })
}
