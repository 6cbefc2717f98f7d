import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { openAccountStores } from '#accounts/services.ts'
import { Alerts } from '#alerts/alerts.ts'
import { msPerDay } from '#base/days.ts'
import { servedCohorts } from '#contract/served-cohorts.ts'
import { accountCaller, Counters } from '#limits/counters.ts'
import type { LongFolder } from './long-folder.ts'
import { cheapPasswords, password } from './test-server.ts'
import { largeChart, slowFormula } from './worst-requests.ts'

/** More accounts than any service of this size has. */
const counts = {
  owners: 3,
  alertsPerOwner: 100,
  own: 500,
  webhookAccounts: 200,
  clients: 10_000,
  sessions: 1_000,
  uses: 10_000,
}

export type FullAccount = Awaited<ReturnType<typeof fillAccounts>>

const usdIds = servedCohorts.map((cohort) => `realized_price_${cohort}`).filter((id) => /_\d/.test(id))

/** Fills accounts.db and limits.db before a server opens them. */
export async function fillAccounts(dataDir: string, { fineIds: ids, lastDay }: LongFolder) {
  const stores = await openAccountStores({ DATA_DIR: dataDir }, undefined, cheapPasswords)
  const email = 'session@example.org'
  const { id } = (await stores.accounts.create(email, 'enterprise', password))!
  const now = Date.now()
  for (let i = 0; i < 100; i++) await stores.keys.create(id, `key ${i}`)
  let webhook = ''
  for (let i = 0; i < 10; i++) {
    const added = await stores.webhooks.add(id, {
      name: `hook ${i}`,
      url: 'https://127.0.0.1:9/none',
      events: ['generation', 'today', 'market'],
    })
    webhook = added!.webhook.id
  }
  let picture = ''
  for (let i = 0; i < 100; i++) picture = (await stores.pictures.add(id, `picture ${i}`, largeChart(usdIds, i)))!.id
  const database = SqliteAccounts.open(dataDir)
  const alerts = new Alerts(database, false)
  const conditions = [
    { kind: 'percentile', percentile: 50 },
    { kind: 'change', days: 365, percent: 1e-9, direction: 'either' },
    { kind: 'all_time_high' },
  ] as const
  const state = { closed: lastDay - 1, fired: null, isMet: false, asOf: lastDay - 1, value: 1, paused: null }
  const addAlerts = async (owner: number, count: number): Promise<string> => {
    let last = ''
    for (let i = 0; i < count; i++) {
      const watched = i % 10 === 0 ? { formula: slowFormula(i, 998) } : { metric: ids[i % ids.length]! }
      const definition = {
        ...watched,
        condition: conditions[i % 3]!,
        email: false,
        webhook: { url: 'https://127.0.0.1:9/none', format: 'json' },
      } as const
      last = (await alerts.create(owner, definition, state, 500))!.id
    }
    return last
  }
  const alert = await addAlerts(id, counts.own)
  for (let i = 0; i < counts.owners; i++) {
    const name = `owner${i}@example.org`
    await addAlerts((await stores.accounts.create(name, 'enterprise'))!.id, counts.alertsPerOwner)
  }
  await database.close()
  await stores.close()
  const db = new DatabaseSync(path.join(dataDir, 'state', 'accounts.db'))
  db.exec(`BEGIN;
    UPDATE alerts SET active = 0 WHERE account_id = ${id};
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${counts.clients})
    INSERT INTO oauth_clients SELECT 'cl_' || i, '{"client_name":"a","redirect_uris":["https://example.org/"],"grant_types":["authorization_code"],"response_types":["code"]}', ${now} - i, NULL FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO account_log SELECT ${id}, 'change ' || (i % 2), i, 'operator', NULL, ${now} FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${counts.sessions})
    INSERT INTO sessions SELECT randomblob(32), ${id}, ${now}, ${now}, ${now}, ${now + msPerDay}, 'Browser' FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${counts.webhookAccounts})
    INSERT INTO accounts SELECT NULL, 'hooks' || i || '@example.org', NULL, 'pro', ${now}, NULL FROM n;
    INSERT INTO webhooks (id, account_id, name, url, events, secret, created_at)
      SELECT 'wh_' || id || '_' || i, id, 'x', 'https://127.0.0.1:9/none', 'generation today market', randomblob(32), ${now}
      FROM accounts, (SELECT value AS i FROM json_each('[1,2,3,4,5,6,7,8,9,10]')) WHERE email LIKE 'hooks%';
    COMMIT`)
  db.close()
  const counters = new Counters(dataDir, pino({ level: 'silent' }))
  counters.save()
  await counters.close()
  const limits = new DatabaseSync(path.join(dataDir, 'state', 'limits.db'))
  const end = now - (now % msPerDay) + msPerDay
  limits.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${counts.uses})
    INSERT INTO counters SELECT 'use', '${accountCaller(id)} cs_' || (i % 112) || ' /v1/endpoint/' || i, ${end} - ${msPerDay} * (i % 89), i FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO counters SELECT 'use', 'account ' || (1000 + i % 1000) || ' cs_1 /v1/endpoint/' || i, ${end} - ${msPerDay} * (i % 89), i FROM n`)
  limits.close()
  return { email, alert, webhook, picture, accountId: id }
}
