import { expect, test } from 'vitest'
import type { AccountStores } from '#accounts/services.ts'
import { nextAttemptAt } from '#accounts/webhooks/delivery-loop.ts'
import { initialState } from '#query/changes.ts'

const url = 'https://example.org/hook'
const iso = (time: number): string => new Date(time).toISOString()

/** Tests for every database; `open` opens the same one several times, as several processes do. */
export function testStoredWebhooks(open: () => Promise<AccountStores>): void {
  test('waits double up to an hour, and after a day of failures nothing more is sent until a test is taken', async () => {
    const { webhooks, accounts } = await open()
    const account = (await accounts.create('day@example.org', 'pro'))!
    const { webhook } = (await webhooks.add(account.id, { name: 'x', url, events: ['generation'] }))!
    const found = async () => (await webhooks.find(account.id, webhook.id))!
    const claim = async (time: number) =>
      (await webhooks.claim(100, 1, time)).find(({ webhook_id }) => webhook_id === webhook.id)!
    // The first state is not an event.
    await webhooks.announce({ ...initialState, generation: 'first' }, () => '{}')
    expect((await found()).waiting).toBe(0)
    await webhooks.announce({ ...initialState, generation: 'second' }, () => '{}')
    const hour = 3_600_000
    let now = 0
    const waits: number[] = []
    for (let i = 0; i < 12; i++) {
      const delivery = await claim(now)
      const retryAt = nextAttemptAt(delivery, 10_000, now)!
      await webhooks.markFailed(delivery, 'it answered 500', retryAt, now)
      expect(await claim(retryAt - 1)).toBeUndefined()
      waits.push(retryAt - now)
      now = retryAt
    }
    const wanted = waits.map((_, i) => Math.min(hour, 10_000 * 2 ** i))
    for (const [i, wait] of waits.entries()) expect(Math.abs(wait - wanted[i]!)).toBeLessThanOrEqual(0.2 * wanted[i]!)
    expect(await found()).toMatchObject({ failing_since: iso(0), disabled_at: null, waiting: 1 })
    const last = await claim(now)
    expect([nextAttemptAt(last, 10_000, 24 * hour - 1), nextAttemptAt(last, 10_000, 24 * hour)]).toEqual([
      expect.any(Number),
      null,
    ])
    await webhooks.markFailed(last, 'it answered 500', null, 24 * hour)
    expect(await found()).toMatchObject({
      disabled_at: iso(24 * hour),
      retry_at: null,
      waiting: 0,
      problem: 'it answered 500',
    })
    await webhooks.announce({ ...initialState, generation: 'third' }, () => '{}')
    expect((await found()).waiting).toBe(0)
    await webhooks.markDelivered({ id: 'test', webhook_id: webhook.id })
    expect(await found()).toMatchObject({ disabled_at: null, failing_since: null, problem: null })
    await webhooks.announce({ ...initialState, generation: 'fourth' }, () => '{}')
    expect(await claim(Date.now())).toMatchObject({ attempts: 0, since: null })
    await accounts.remove(account.id)
    expect(await webhooks.list(account.id)).toEqual([])
  })

  test('several processes share the work, and of one kind of event only the newest waits', async () => {
    const [services, other] = [await open(), await open()]
    const account = (await services.accounts.create('shared@example.org', 'pro'))!
    await services.webhooks.add(account.id, { name: 'x', url, events: ['market'] })
    const announce = async (market: string) => {
      for (const { webhooks } of [services, other])
        await webhooks.announce({ ...initialState, market }, () => market, 5)
    }
    await announce('1')
    await announce('2')
    const taken = [await services.webhooks.claim(10), await other.webhooks.claim(10)]
    const due = taken.map((deliveries) => deliveries.map(({ body }) => body))
    expect(due).toEqual([['2'], []])
  })
}
