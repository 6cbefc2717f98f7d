import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { AccountLog, changeSource, recordChange } from '#accounts/database/account-log.ts'
import { accountsSchema } from '#accounts/database/schema.ts'
import type { AccountsDatabase } from '#accounts/database/statements.ts'
import { computeCode } from '#accounts/one-time-codes.ts'
import type { AccountStores } from '#accounts/services.ts'
import { msPerDay } from '#base/days.ts'
import { Authenticator } from '../api/support/authenticator.ts'
import { fillAccount } from './full-account.ts'

const site = { origin: 'https://example.org', site: 'example.org' }

/** Tests of the log of changes for every database. */
export function testAccountLog(
  open: () => Promise<AccountStores>,
  openDatabase: () => Promise<AccountsDatabase>,
): void {
  test('each change of rights, keys, factors and settings leaves one line, with who made it and from where', async () => {
    const { accounts, accountLog, keys, factors, passkeys, webhooks, grants, tokens, pictures, links } = await open()
    const { id } = (await accounts.create('logged@example.org', 'free'))!
    const added: string[][] = []
    let known = (await accountLog.list(id)).length
    /** Makes changes as the user; notes the lines that they leave. */
    const change = async <T>(work: () => Promise<T>): Promise<T> => {
      const result = await changeSource.run({ actor: 'user', address: '192.0.2.7' }, work)
      const lines = await accountLog.list(id)
      added.push(lines.slice(0, lines.length - known).map((line) => line.change))
      expect(lines[0]).toMatchObject(lines.length > known ? { actor: 'user', address: '192.0.2.7' } : {})
      known = lines.length
      return result
    }
    const changes = async (work: () => Promise<unknown>): Promise<string[] | undefined> => {
      await change(work)
      return added.at(-1)
    }
    expect(await changes(() => accounts.setTier('logged@example.org', 'pro'))).toEqual(['tier set'])
    expect(await changes(() => accounts.signUp('logged@example.org', undefined, 'test'))).toEqual(['account requested'])
    expect(await changes(() => accounts.setPasswordHash(id, 'hash'))).toEqual(['password changed'])
    expect(await changes(() => accounts.setPasswordByLink(id, 'hash'))).toEqual(['password set by link'])
    expect(await changes(() => links.create(id, 'password'))).toEqual(['link to set a password created'])
    const key = (await change(() => keys.create(id, 'laptop', undefined, 5, { networks: ['192.0.2.0/24'] })))!.record
    expect((await accountLog.list(id))[0]).toMatchObject({
      change: 'key created',
      detail: `${key.id} (laptop) {"networks":["192.0.2.0/24"]}`,
    })
    expect(await changes(() => keys.revoke(key.id))).toEqual(['key revoked'])
    expect(await changes(() => keys.revoke(key.id))).toEqual([])
    const secret = Buffer.from((await change(() => factors.begin(id)))!)
    expect(added.at(-1)).toEqual([])
    const code = computeCode(secret, Math.floor(Date.now() / 30_000))
    expect(await changes(() => factors.confirm(id, code))).toEqual(['one-time codes turned on'])
    expect(await changes(() => factors.renewRecoveryCodes(id))).toEqual(['recovery codes replaced'])
    expect(await changes(() => factors.remove(id))).toEqual(['one-time codes turned off'])
    expect(await changes(() => factors.remove(id))).toEqual([])
    const passkey = async () => {
      const challenge = await passkeys.createChallenge(id)
      return (await passkeys.add(id, 'phone', new Authenticator().register({ ...site, challenge }), site))!
    }
    const first = await change(passkey)
    expect(added.at(-1)).toEqual(['passkey added'])
    expect(await changes(() => passkeys.remove(id, first.id))).toEqual(['passkey removed'])
    await change(passkey)
    expect(await changes(() => passkeys.removeAll(id))).toEqual(['passkeys removed'])
    const { webhook } = (await change(() => webhooks.add(id, { name: 'w', url: 'https://example.org/', events: [] })))!
    expect(added.at(-1)).toEqual(['webhook added'])
    expect(await changes(() => webhooks.rotate(webhook.id))).toEqual(['secret of webhook replaced'])
    expect(await changes(() => webhooks.remove(id + 1, webhook.id))).toEqual([])
    expect(await changes(() => webhooks.remove(id, webhook.id))).toEqual(['webhook removed'])
    const picture = (await change(() => pictures.add(id, 'p', {})))!
    expect(added.at(-1)).toEqual(['picture link created'])
    expect(await changes(() => pictures.remove(id, picture.id))).toEqual(['picture link removed'])
    const app = { client_id: 'client', client_name: 'App', redirect_uri: 'https://app.example/' }
    const code_challenge = hash('sha256', 'verifier', 'base64url')
    const grant = { ...app, account_id: id, resource: 'https://x.example/', tier: 'pro', may_refresh: true } as const
    const given = (await change(() => grants.add({ ...grant, code_challenge })))!
    expect(added.at(-1)).toEqual(['app connected'])
    const issued = await tokens.redeem(given, 'verifier', undefined, app)
    expect(await changes(() => tokens.revoke(issued.refresh_token!, undefined))).toEqual(['access of app ended'])
    const again = (await change(() => grants.add({ ...grant, code_challenge })))!
    await tokens.redeem(again, 'verifier', undefined, app)
    const [{ id: appId } = { id: '' }] = await grants.list(id)
    expect(await changes(() => grants.remove(id, appId))).toEqual(['app removed'])

    // Outside a request it is the operator, by a command.
    await accounts.setTier('logged@example.org', 'enterprise', true)
    expect((await accountLog.list(id))[0]).toMatchObject({
      change: 'tier set',
      detail: 'enterprise, address verified',
      actor: 'operator',
      address: null,
    })
    expect((await accountLog.list(null, 1e6)).filter(({ email }) => email === 'logged@example.org').length).toBe(
      known + 1,
    )
  })

  test('a change that fails leaves no line, and a line is deleted after a year', async () => {
    const { accounts, accountLog, keys } = await open()
    const database = await openDatabase()
    const { id } = (await accounts.create('years@example.org', 'pro'))!
    const before = (await accountLog.list(null, 1e6)).length
    await expect(keys.create(id + 1_000_000, 'x')).rejects.toThrow(/foreign key/i)
    expect(await accountLog.list(null, 1e6)).toHaveLength(before)
    const age = (days: number) =>
      database.run('UPDATE account_log SET created_at = $at WHERE account_id = $id', {
        at: Date.now() - days * msPerDay,
        id,
      })
    await age(364)
    expect(await accountLog.list(id)).toHaveLength(1)
    await age(366)
    expect(await accountLog.list(id)).toEqual([])
    await accounts.setTier('years@example.org', 'free')
    const sql = 'SELECT change FROM account_log WHERE account_id = $id'
    expect(await database.all(z.object({ change: z.string() }), sql, { id })).toEqual([{ change: 'tier set' }])
  })

  test('of one kind of change the newest 1,000 lines stay, and those of other kinds', async () => {
    const { accounts, accountLog } = await open()
    const database = await openDatabase()
    const { id } = (await accounts.create('many.lines@example.org', 'pro'))!
    await database.transaction(async (statements) => {
      for (let i = 0; i < 1_003; i++) await recordChange(statements, id, 'picture link created', `${i}`)
    })
    const everyone = (await accountLog.list(null, 1e6)).toReversed()
    const all = everyone.filter(({ email }) => email === 'many.lines@example.org')
    expect(all.map(({ detail }) => detail)).toEqual([
      'tier pro',
      ...Array.from({ length: 1_000 }, (_, i) => `${i + 3}`),
    ])
    expect(await new AccountLog(database).list(id)).toHaveLength(1_000)
  })

  test('of a deleted account no table has an id, address, name or text any more', async () => {
    const stores = await open()
    const database = await openDatabase()
    const everything = async (): Promise<string> => {
      const tables = accountsSchema.flatMap((sql) => [...sql.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)])
      const rows = tables.map(async ([, table]) => database.all(z.looseObject({}), `SELECT * FROM ${table}`))
      const readable = (_: string, value: unknown) => (value instanceof Uint8Array ? `${value}` : value)
      return JSON.stringify(await Promise.all(rows), readable)
    }
    const mark = 'deletedperson'
    const before = (await stores.accountLog.list(null, 1e6)).length
    const other = (await stores.accounts.create('stays@example.org', 'pro'))!
    await stores.accounts.signUp(`${mark}@example.org`, undefined, 'test')
    const { id } = await stores.accounts.setTier(`${mark}@example.org`, 'pro', true)
    const source = { actor: 'user', address: '203.0.113.99' } as const
    const ids = await changeSource.run(source, () => fillAccount(stores, database, id, mark))
    await fillAccount(stores, database, other.id, 'stays')
    const owned = new RegExp(`"(account_id|owner)":${id}[,}]`)
    const texts = [mark, source.address, ...ids]
    const full = await everything()
    expect(full).toMatch(owned)
    for (const text of texts) expect(full).toContain(text)
    await changeSource.run(source, () => stores.accounts.remove(id))
    const rest = await everything()
    for (const text of texts) if (text !== source.address) expect(rest, text).not.toContain(text)
    expect(rest).not.toMatch(owned)
    // The log still says that there were changes, and when.
    const all = (await stores.accountLog.list(null, 1e6)).toReversed()
    const lines = all.slice(before).filter(({ email }) => email === null)
    expect(lines.length).toBeGreaterThan(10)
    expect(new Set(lines.map(({ detail }) => detail))).toEqual(new Set(['']))
    expect(lines.at(-1)).toMatchObject({ change: 'account deleted', actor: 'user' })
    expect((await stores.keys.list(other.id)).length).toBe(2)
    await stores.accounts.remove(other.id)
  })
}
