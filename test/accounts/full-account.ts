import { hash } from 'node:crypto'
import { type AccountsDatabase, insertRow } from '#accounts/database/statements.ts'
import { computeCode } from '#accounts/one-time-codes.ts'
import type { AccountStores } from '#accounts/services.ts'
import { Alerts } from '#alerts/alerts.ts'
import { Authenticator } from '../api/support/authenticator.ts'

const site = { origin: 'https://example.org', site: 'example.org' }

/**
 * Gives an account a row of everything that one can have, each with `mark` in its texts. Returns
 * texts that name them: ids of keys and the like.
 */
export async function fillAccount(
  stores: AccountStores,
  database: AccountsDatabase,
  id: number,
  mark: string,
): Promise<string[]> {
  const { keys, sessions, links, factors, passkeys, pictures, boards, webhooks, grants, tokens } = stores
  const { record } = (await keys.create(id, mark))!
  await sessions.start(id, mark)
  await links.create(id, 'password')
  const secret = Buffer.from((await factors.begin(id))!)
  await factors.confirm(id, computeCode(secret, Math.floor(Date.now() / 30_000)))
  const challenge = await passkeys.createChallenge(id)
  const passkey = (await passkeys.add(id, mark, new Authenticator().register({ ...site, challenge }), site))!
  await passkeys.createChallenge(id)
  const picture = (await pictures.add(id, mark, { title: mark }))!
  await boards.write(id, { title: mark, charts: [] })
  await boards.share(id)
  const request = `/v1/series?metrics=${mark}`
  const link = (await keys.create(id, mark, undefined, undefined, { request }))!.record
  const url = `https://example.org/${mark}`
  const { webhook } = (await webhooks.add(id, { name: mark, url, events: ['generation'] }))!
  const delivery = { id: `msg_${mark}`, webhook_id: webhook.id, event: 'generation', body: mark, created_at: 1 }
  await insertRow(database, 'webhook_deliveries', delivery)
  const alerts = new Alerts(database, false)
  const definition = { formula: mark, condition: { kind: 'above', value: 1 }, email: true, webhook: null } as const
  const state = { closed: 20_000, fired: null, isMet: false, asOf: 20_000, value: 1, paused: null }
  const alert = (await alerts.create(id, definition, state, 5))!
  const [stored] = await alerts.list(id)
  const content = { title: mark, text: mark, date: null, value: null, height: null }
  await alerts.enqueue(stored!, { id: `${alert.id}.${mark}`, kind: 'fired', content })
  const app = { client_id: mark, client_name: mark, redirect_uri: `https://app.example/${mark}` }
  const code_challenge = hash('sha256', 'verifier', 'base64url')
  const grant = { ...app, account_id: id, resource: url, tier: 'pro', may_refresh: true, code_challenge } as const
  await tokens.redeem((await grants.add(grant))!, 'verifier', undefined, app)
  const [app_] = await grants.list(id)
  return [record.id, passkey.id, picture.id, link.id, webhook.id, alert.id, app_!.id]
}
