import { expect, test } from 'vitest'
import { Accounts } from '#accounts/accounts.ts'
import type { AccountsDatabase } from '#accounts/database/statements.ts'
import { Passwords } from '#accounts/passwords.ts'
import type { AlertState } from '#alerts/alert-state.ts'
import { type Alert, type AlertDefinition, Alerts, type NewEvent, operator, parseState } from '#alerts/alerts.ts'
import { msPerDay } from '#base/days.ts'
import { cheapPasswords } from '../api/support/test-server.ts'

const state: AlertState = { closed: 20_000, fired: null, isMet: false, asOf: 20_000, value: 1, paused: null }
const definition: AlertDefinition = {
  metric: 'mvrv',
  condition: { kind: 'above', value: 3 },
  email: true,
  webhook: null,
}
const webhook = { url: 'https://example.org/secret', format: 'json' } as const
const noon = 20_000.5 * msPerDay

const event = (id: string, kind: NewEvent['kind'] = 'fired'): NewEvent => ({
  id,
  kind,
  content: { title: 'high', text: 'It is high.', date: '2024-10-04', value: 4, height: null },
})

/** Tests for every database; `open` opens the same one several times, as several processes do. */
export function testStoredAlerts(open: () => Promise<AccountsDatabase>): void {
  const stores = async () => {
    const [one, other] = [await open(), await open()]
    return { one: new Alerts(one, true), other: new Alerts(other, true), database: one }
  }
  const create = async (
    alerts: Alerts,
    changes: Partial<AlertDefinition> = {},
    owner = operator,
    now = noon,
  ): Promise<Alert> => {
    const { id } = (await alerts.create(owner, { ...definition, ...changes }, state, 1_000, now))!
    return (await alerts.find(owner, id))!
  }
  const dueIds = async (alerts: Alerts, evaluated: string): Promise<string[]> => {
    const found: string[] = []
    for await (const { id } of alerts.due(evaluated)) found.push(id)
    return found
  }
  const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)

  test('two processes that evaluate an alert at once store one event', async () => {
    const { one, other } = await stores()
    const alert = await create(one)
    const next = { ...state, closed: 20_001, fired: 20_001, isMet: true }
    expect(await dueIds(one, 'g1')).toContain(alert.id)
    await Promise.all([one, other].map((alerts) => alerts.settle(alert, 'g1', next, null, [event(`${alert.id}.a`)])))
    expect(ids(await one.events(alert))).toEqual([`${alert.id}.a`])
    expect(await dueIds(other, 'g1')).not.toContain(alert.id)
    expect(await dueIds(other, 'g2')).toContain(alert.id)
    // A process that read the alert before that stores nothing, not even other events.
    await other.settle(alert, 'g0', state, null, [event(`${alert.id}.b`)])
    const current = (await one.find(operator, alert.id))!
    expect([parseState(current), current.fired]).toEqual([next, 1])
    // What is stored once stays the only one.
    await one.enqueue(current, event(`${alert.id}.a`))
    expect(await one.events(alert)).toHaveLength(1)
  })

  test('an alert that watches something else starts again, others go on', async () => {
    const { one } = await stores()
    const alert = await create(one)
    await one.settle(alert, 'g1', { ...state, fired: 20_001 }, noon, [])
    const fired = (await one.find(operator, alert.id))!
    expect(
      await one.change(fired, { ...definition, email: false }, false, { hasNewWebhook: false, state: undefined }),
    ).toBeNull()
    const off = (await one.find(operator, alert.id))!
    expect(off).toMatchObject({ active: false, revision: 1, state: fired.state, notice_at: noon })
    expect(await dueIds(one, 'g2')).not.toContain(alert.id)
    const secret = await one.change(off, { ...definition, webhook }, true, { hasNewWebhook: true, state })
    expect(secret).toHaveLength(32)
    expect(await one.find(operator, alert.id)).toMatchObject({ active: true, revision: 2, notice_at: null })
    expect(await dueIds(one, 'g1')).toContain(alert.id)
    await one.settle(fired, 'g1', state, null, [event(`${alert.id}.late`)])
    expect(await one.events(alert)).toEqual([])
  })

  test('a message waits for its channel, is claimed by one process and sent again after the claim', async () => {
    const { one, other } = await stores()
    const alert = await create(one, { webhook })
    await one.enqueue(alert, event(`${alert.id}.a`), noon)
    const mine = (claimed: Awaited<ReturnType<Alerts['claim']>>) =>
      claimed.filter(({ alert_id }) => alert_id === alert.id)
    const claimed = mine(await one.claim(100, 1_000, noon))
    expect(claimed.map(({ channel, kind, secret }) => [channel, kind, secret?.length])).toEqual([
      ['email', 'fired', 32],
      ['webhook', 'fired', 32],
    ])
    expect(mine(await other.claim(100, 1_000, noon + 999))).toEqual([])
    const [mail, request] = mine(await other.claim(100, 1_000, noon + 1_000))
    await other.markDelivered(mail!, noon + 1_001)
    await other.markFailed(request!, 'it answered 500', noon + 5_000)
    expect(mine(await one.claim(100, 1_000, noon + 4_999))).toEqual([])
    const [again] = mine(await one.claim(100, 1_000, noon + 5_000))
    expect(again).toMatchObject({ channel: 'webhook', attempts: 1 })
    await one.release(again!)
    expect(mine(await other.claim(100, 1_000, noon + 5_000))).toMatchObject([{ channel: 'webhook' }])
    await one.markFailed(again!, 'it answered 410', null)
    expect(mine(await one.claim(100, 1_000, noon + msPerDay))).toEqual([])
    const [{ deliveries } = { deliveries: [] }] = await one.events(alert)
    expect(deliveries).toMatchObject([
      {
        channel: 'email',
        attempts: 1,
        delivered_at: new Date(noon + 1_001).toISOString(),
        retry_at: null,
        problem: null,
      },
      { channel: 'webhook', attempts: 2, delivered_at: null, retry_at: null, problem: 'it answered 410' },
    ])
    expect((await one.find(operator, alert.id))!.problem).toBe('it answered 410')
  })

  test('one owner gets four of the places at a time, also while those are taken', async () => {
    const { one, other } = await stores()
    const alert = await create(one)
    for (let i = 0; i < 6; i++) await one.enqueue(alert, event(`${alert.id}.${i}`), noon)
    const claims = [await one.claim(100, 1_000, noon), await other.claim(100, 1_000, noon)]
    expect(claims.map((claimed) => ids(claimed))).toEqual([[0, 1, 2, 3].map((i) => `${alert.id}.${i}`), []])
    await one.markDelivered(claims[0]![0]!)
    expect(ids(await one.claim(100, 1_000, noon))).toEqual([`${alert.id}.4`])
    await one.remove(operator, alert.id)
    expect(await one.claim(100, 1_000, noon + 2_000)).toEqual([])
  })

  test('alerts and messages are limited by tier, and end with their account', async () => {
    const { one, database } = await stores()
    const accounts = new Accounts(database, new Passwords(cheapPasswords))
    const { id: owner } = (await accounts.create('alerts@example.org', 'free'))!
    const alerts = new Alerts(database, false)
    const made = await Promise.all(
      Array.from({ length: 4 }, () => alerts.create(owner, { ...definition, webhook }, state, 3, noon)),
    )
    expect(made.filter((one) => one)).toHaveLength(3)
    const [newest, , oldest] = await alerts.list(owner)
    expect([newest!.place, oldest!.place, newest!.tier]).toEqual([3, 1, 'free'])
    expect(await alerts.find(owner + 1, newest!.id)).toBeUndefined()
    expect(await alerts.remove(owner + 1, newest!.id)).toBe(false)
    for (let i = 0; i < 21; i++) await alerts.enqueue(newest!, event(`${newest!.id}.${i}`), noon + i)
    await alerts.enqueue(newest!, event(`${newest!.id}.tomorrow`), noon + msPerDay)
    const stored = await alerts.events(newest!)
    const problems = stored.map(({ deliveries }) => deliveries.map(({ channel, problem }) => [channel, problem]))
    const noWebhook = ['webhook', 'webhooks need tier pro']
    expect(problems.slice(0, 3)).toEqual([
      [['email', null], noWebhook],
      [['email', 'tier free has 20 messages a day'], noWebhook],
      [['email', null], noWebhook],
    ])
    // Neither removing alerts, nor the program's next start, begins the day again.
    const again = new Alerts(await open(), false)
    await alerts.remove(owner, oldest!.id)
    for (const remover of [alerts, again]) {
      const { id } = (await remover.create(owner, { ...definition, webhook }, state, 3, noon))!
      const next = (await remover.find(owner, id))!
      for (let i = 0; i < 21; i++) await remover.enqueue(next, event(`${id}.${i}`), noon + msPerDay + i)
      const sent = (await remover.events(next)).filter(({ deliveries }) => deliveries[0]?.problem === null)
      expect(sent).toHaveLength(remover === alerts ? 19 : 0)
      if (remover === alerts) await remover.remove(owner, id)
    }
    // Neither service sends those of the other.
    expect(await one.claim(100, 1_000, noon + msPerDay)).toEqual([])
    expect(await dueIds(one, 'g1')).not.toContain(newest!.id)
    expect(await alerts.claim(1, 1_000, noon)).toMatchObject([{ email: 'alerts@example.org' }])
    await accounts.remove(owner)
    expect([await alerts.list(owner), await alerts.claim(100, 1_000, noon + 2 * msPerDay)]).toEqual([[], []])
  })
}
