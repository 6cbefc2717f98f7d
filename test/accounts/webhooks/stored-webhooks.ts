import { expect, test } from 'vitest'
import type { AccountStores } from '#accounts/services.ts'
import { initialState } from '#query/changes.ts'

const url = 'https://example.org/hook'

/** Tests for every database; `open` opens the same one several times, as several processes do. */
export function testStoredWebhooks(open: () => Promise<AccountStores>): void {
  test('waits double up to an hour, and after a day of failures nothing more is sent until a test is taken', async () => {
    const { webhooks, accounts } = await open()
    const account = (await accounts.create('day@example.org', 'pro'))!
    const { webhook } = (await webhooks.add(account.id, { name: 'x', url, events: ['generation'] }))!
    const found = async () => (await webhooks.find(account.id, webhook.id))!
    // The first state is not an event.
    await webhooks.announce({ ...initialState, generation: 'first' }, () => '{}')
    expect((await found()).waiting).toBe(0)
    await webhooks.announce({ ...initialState, generation: 'second' }, () => '{}')
    const hour = 3_600_000
    let now = 0
    const waits: number[] = []
    for (let i = 0; i < 12; i++) {
      await webhooks.markFailed(webhook.id, 'it answered 500', false, 10_000, now)
      const wait = (await found()).retry_at! - now
      waits.push(wait)
      now += wait
    }
    const wanted = waits.map((_, i) => Math.min(hour, 10_000 * 2 ** i))
    for (const [i, wait] of waits.entries()) expect(Math.abs(wait - wanted[i]!)).toBeLessThanOrEqual(0.2 * wanted[i]!)
    expect(await found()).toMatchObject({ failing_since: 0, disabled_at: null, waiting: 1 })
    await webhooks.markFailed(webhook.id, 'it answered 500', false, 10_000, 24 * hour - 1)
    expect((await found()).disabled_at).toBeNull()
    await webhooks.markFailed(webhook.id, 'it answered 500', false, 10_000, 24 * hour)
    expect(await found()).toMatchObject({
      disabled_at: 24 * hour,
      retry_at: null,
      waiting: 0,
      problem: 'it answered 500',
    })
    await webhooks.announce({ ...initialState, generation: 'third' }, () => '{}')
    expect((await found()).waiting).toBe(0)
    await webhooks.markDelivered(webhook.id, undefined)
    expect(await found()).toMatchObject({ disabled_at: null, failures: 0, problem: null })
    await webhooks.markFailed(webhook.id, 'it answered 410', true, 10_000)
    expect((await found()).disabled_at).not.toBeNull()
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
