import { afterAll, expect, test } from 'vitest'
import { openServices } from '#api/accounts/services.ts'
import { nothingYet } from '#api/events/state.ts'
import { temporaryDataDir } from '../support/test-server.ts'

const { dataDir, remove } = temporaryDataDir()
afterAll(remove)
const url = 'https://example.org/hook'

test('waits double up to an hour, and after a day of failures nothing more is sent until a test is taken', async () => {
  const services = openServices(dataDir)
  const { webhooks, accounts } = services
  const account = (await accounts.create('day@example.org', 'pro'))!
  const { webhook } = webhooks.add(account.id, { name: 'x', url, events: ['generation'] })
  const found = () => webhooks.find(account.id, webhook.id)!
  // What was there before is no event.
  webhooks.announce({ ...nothingYet, generation: 'first' }, () => '{}')
  expect(found().waiting).toBe(0)
  webhooks.announce({ ...nothingYet, generation: 'second' }, () => '{}')
  const hour = 3_600_000
  let now = 0
  const waits: number[] = []
  for (let i = 0; i < 12; i++) {
    webhooks.fail(webhook.id, 'it answered 500', false, 10_000, now)
    const wait = found().retry_at! - now
    waits.push(wait)
    now += wait
  }
  const wanted = waits.map((_, i) => Math.min(hour, 10_000 * 2 ** i))
  for (const [i, wait] of waits.entries()) expect(Math.abs(wait - wanted[i]!)).toBeLessThanOrEqual(0.2 * wanted[i]!)
  expect(found()).toMatchObject({ failing_since: 0, disabled_at: null, waiting: 1 })
  webhooks.fail(webhook.id, 'it answered 500', false, 10_000, 24 * hour - 1)
  expect(found().disabled_at).toBeNull()
  webhooks.fail(webhook.id, 'it answered 500', false, 10_000, 24 * hour)
  expect(found()).toMatchObject({ disabled_at: 24 * hour, retry_at: null, waiting: 0, problem: 'it answered 500' })
  webhooks.announce({ ...nothingYet, generation: 'third' }, () => '{}')
  expect(found().waiting).toBe(0)
  webhooks.settle(webhook.id, undefined)
  expect(found()).toMatchObject({ disabled_at: null, failures: 0, problem: null })
  webhooks.fail(webhook.id, 'it answered 410', true, 10_000)
  expect(found().disabled_at).not.toBeNull()
  accounts.remove(account.id)
  expect(webhooks.list(account.id)).toEqual([])
  services.close()
})

test('several processes share the work, and of one kind of event only the newest waits', async () => {
  const services = openServices(dataDir)
  const other = openServices(dataDir)
  const account = (await services.accounts.create('shared@example.org', 'pro'))!
  services.webhooks.add(account.id, { name: 'x', url, events: ['market'] })
  const announce = (market: string) => {
    for (const { webhooks } of [services, other]) webhooks.announce({ ...nothingYet, market }, () => market, 5)
  }
  announce('1')
  announce('2')
  const due = [services, other].map(({ webhooks }) => webhooks.take(10).map(({ body }) => body))
  expect(due).toEqual([['2'], []])
  services.close()
  other.close()
})
