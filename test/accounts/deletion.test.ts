import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { openSecretsKey } from '#accounts/secrets-key.ts'
import { createAccountStores } from '#accounts/services.ts'
import { Documented } from '../api/support/documented.ts'
import { dataDir, serveOwnFolder, server } from '../api/support/own-service.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { bearer, cheapPasswords, signIn } from '../api/support/test-server.ts'
import { Visitor } from '../api/support/visitor.ts'
import { fillAccount } from './full-account.ts'

serveOwnFolder({}, publishSmallGeneration)
let documented: Documented
beforeAll(async () => {
  documented = await Documented.read(server.url)
})

/** Files of the data folder with a text, as written by the service while it runs. */
function filesWith(text: string): string[] {
  const names = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text))
    .map((file) => path.relative(dataDir, file))
}

test('no file of the data folder has anything of a deleted account, while the service runs', async () => {
  const mark = 'deletedperson'
  const database = SqliteAccounts.open(dataDir)
  const stores = createAccountStores(database, openSecretsKey(dataDir, undefined), undefined, cheapPasswords)
  // An id that nothing else looks like.
  const file = new DatabaseSync(path.join(dataDir, 'state/accounts.db'))
  const { id: low } = (await stores.accounts.create('other@example.org', 'pro'))!
  file.prepare("UPDATE sqlite_sequence SET seq = 987653 WHERE name = 'accounts'").run()
  file.close()
  const visitor = new Visitor(server, documented, { 'user-agent': mark })
  visitor.cookie = await signIn(server, dataDir, `${mark}@example.org`, 'pro')
  const { id } = await stores.accounts.require(`${mark}@example.org`)
  expect([low, id]).toEqual([1, 987_654])
  const { key } = (await visitor.post('/v1/keys', { name: mark })).answer.data[0]!
  await fetch(`${server.url}/v1/prices`, { headers: bearer(key) })
  await visitor.get('/v1/usage')
  const ids = await fillAccount(stores, database, id, mark)
  await stores.close()
  const texts = [mark, `account ${id}`, ...ids]
  await expect.poll(() => texts.map((text) => filesWith(text).length > 0)).toEqual(texts.map(() => true))
  expect((await visitor.delete('/v1/account')).status).toBe(200)
  for (const text of texts) expect([text, filesWith(text)]).toEqual([text, []])
  const rest = new DatabaseSync(path.join(dataDir, 'state/accounts.db'))
  expect(rest.prepare('SELECT count(*) AS lines FROM account_log WHERE account_id = ?').get(id)).toEqual({ lines: 0 })
  rest.close()
})
