import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type EventName, eventNames } from '#contract/events.ts'
import { accountTiers, tiers } from '#contract/tiers.ts'
import { type AccountsDatabase, countSchema, type Statements } from '../database/statements.ts'

/** Of an account. */
export const maxWebhooks = 10
const secretBytes = 32
/** Milliseconds for which events are signed by the earlier secret, too. */
const oldSecretMs = 86_400_000
/** A webhook that takes nothing for so long is disabled. */
const maxFailingMs = 86_400_000
const maxRetryMs = 3_600_000
/** Longer than an attempt takes; one that was cut off by the end of its process is then made again. */
const claimMs = 60_000

const webhookSchema = z.object({
  id: z.string(),
  account_id: z.int(),
  name: z.string(),
  url: z.string(),
  events: z.string().transform((text) => eventNames.filter((name) => text.split(' ').includes(name))),
  created_at: z.int(),
  delivered_at: z.int().nullable(),
  failing_since: z.int().nullable(),
  failures: z.int(),
  retry_at: z.int().nullable(),
  problem: z.string().nullable(),
  disabled_at: z.int().nullable(),
  waiting: z.int(),
})
/** An address that an account has events sent to; times are milliseconds since 1970. */
export type Webhook = z.infer<typeof webhookSchema>

const columns = `id, account_id, name, url, events, created_at, delivered_at, failing_since, failures, retry_at, problem,
  disabled_at, (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = webhooks.id) AS waiting`

const bytes = z.instanceof(Uint8Array)
const secretsSchema = z.object({ secret: bytes, earlier_secret: bytes.nullable(), earlier_until: z.int() })
const deliverySchema = z.object({ id: z.string(), webhook_id: z.string(), url: z.string(), body: z.string() })
/** An event on its way to a webhook. Attempts of one event have one id. */
export type Delivery = z.infer<typeof deliverySchema>

/** What each event was last about; empty before the first. */
export type EventState = Readonly<Record<EventName, string>>

const stateSchema = z.object({ event: z.string(), state: z.string() })

/** Tiers with access by API keys have webhooks, too. */
const entitledTiers = accountTiers.filter((tier) => tiers[tier].grade >= tiers.pro.grade).map((tier) => `'${tier}'`)

/**
 * Webhooks, what is to be delivered to them, and what was announced last. All of it is stored, so that a new process goes
 * on where another ended; several processes share the work. Of each event at most one waits per webhook:
 * the newest, as it tells all that the earlier ones told.
 */
export class Webhooks {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /**
   * Its secret is returned this once. It must be kept as it is, since signatures are made of it. Undefined where the account has
   * as many as it may have.
   */
  add(
    accountId: number,
    { name, url, events }: Pick<Webhook, 'name' | 'url'> & { readonly events: readonly EventName[] },
  ): Promise<{ readonly webhook: Webhook; readonly secret: Uint8Array } | undefined> {
    const secret = randomBytes(secretBytes)
    return this.#database.transaction(async (statements) => {
      const count = await statements.get('SELECT count(*) AS count FROM webhooks WHERE account_id = $accountId', {
        accountId,
      })
      if (countSchema.parse(count).count >= maxWebhooks) return undefined
      const row = await statements.get(
        `INSERT INTO webhooks (id, account_id, name, url, events, secret, created_at)
         VALUES ($id, $accountId, $name, $url, $events, $secret, $now) RETURNING ${columns}`,
        {
          id: `wh_${randomBytes(6).toString('hex')}`,
          accountId,
          name,
          url,
          events: events.join(' '),
          secret,
          now: Date.now(),
        },
      )
      return { webhook: webhookSchema.parse(row), secret }
    })
  }

  /** Newest first. */
  async list(accountId: number): Promise<Webhook[]> {
    const rows = await this.#database.all(
      `SELECT ${columns} FROM webhooks WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC`,
      { accountId },
    )
    return z.array(webhookSchema).parse(rows)
  }

  async find(accountId: number, id: string): Promise<Webhook | undefined> {
    return (await this.list(accountId)).find((webhook) => webhook.id === id)
  }

  /** Tells whether there was one. */
  async remove(accountId: number, id: string): Promise<boolean> {
    const removed = await this.#database.run('DELETE FROM webhooks WHERE account_id = $accountId AND id = $id', {
      accountId,
      id,
    })
    return removed > 0
  }

  /** A new secret; the one before it signs as well for a day. */
  async rotate(id: string, now = Date.now()): Promise<Uint8Array> {
    const secret = randomBytes(secretBytes)
    await this.#database.run(
      'UPDATE webhooks SET earlier_secret = secret, earlier_until = $until, secret = $secret WHERE id = $id',
      { until: now + oldSecretMs, secret, id },
    )
    return secret
  }

  /** Those that sign now, the newest first. */
  async activeSecrets(id: string, now = Date.now()): Promise<readonly Uint8Array[]> {
    const row = await this.#database.get('SELECT secret, earlier_secret, earlier_until FROM webhooks WHERE id = $id', {
      id,
    })
    if (row === undefined) return []
    const { secret, earlier_secret, earlier_until } = secretsSchema.parse(row)
    return earlier_secret && earlier_until > now ? [secret, earlier_secret] : [secret]
  }

  /**
   * Has the events delivered that lead from what was announced last to `state`; what was the case when this was first
   * called is no event. Also of several processes, one does it.
   */
  announce(state: EventState, createBody: (event: EventName) => string, now = Date.now()): Promise<void> {
    return this.#database.transaction(async (statements) => {
      const rows = z.array(stateSchema).parse(await statements.all('SELECT event, state FROM announced_events'))
      const announced = new Map(rows.map((row) => [row.event, row.state]))
      for (const event of eventNames) {
        const before = announced.get(event)
        if (before === state[event] || (before !== undefined && state[event] === '')) continue
        await statements.run(
          `INSERT INTO announced_events (event, state) VALUES ($event, $state)
           ON CONFLICT (event) DO UPDATE SET state = excluded.state`,
          { event, state: state[event] },
        )
        if (before !== undefined) await enqueue(statements, event, createBody(event), now)
      }
    })
  }

  /** So many deliveries that are due, of each webhook one; nobody else is given those webhooks until they are settled. */
  claim(most: number, now = Date.now()): Promise<Delivery[]> {
    return this.#database.transaction(async (statements) => {
      const rows = await statements.all(
        `SELECT id, webhook_id, url, body FROM
           (SELECT webhook_deliveries.id AS id, webhook_id, url, body, webhook_deliveries.created_at AS since,
              row_number() OVER (PARTITION BY webhook_id ORDER BY webhook_deliveries.created_at) AS place
            FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
            WHERE disabled_at IS NULL AND coalesce(retry_at, 0) <= $now AND taken_until <= $now) AS due
         WHERE place = 1 ORDER BY since LIMIT $most`,
        { now, most },
      )
      const deliveries = z.array(deliverySchema).parse(rows)
      for (const { webhook_id } of deliveries) await claimUntil(statements, webhook_id, now + claimMs)
      return deliveries
    })
  }

  /** An attempt that came to nothing by itself, such as at the end of the process. */
  release({ webhook_id }: Delivery): Promise<void> {
    return claimUntil(this.#database, webhook_id, 0)
  }

  /** What was sent last was taken; `delivery` is undefined for a test. */
  markDelivered(webhookId: string, delivery: Delivery | undefined, now = Date.now()): Promise<void> {
    return this.#database.transaction(async (statements) => {
      if (delivery) await statements.run('DELETE FROM webhook_deliveries WHERE id = $id', { id: delivery.id })
      await statements.run(
        `UPDATE webhooks SET delivered_at = $now, failures = 0, failing_since = NULL, retry_at = NULL, problem = NULL,
           disabled_at = NULL, taken_until = 0 WHERE id = $webhookId`,
        { now, webhookId },
      )
    })
  }

  /**
   * An attempt failed: the next one is made after twice the time, `firstWait` milliseconds at first, an hour at most. After
   * a day of that, or where `isGone`, none is made any more.
   */
  markFailed(
    webhookId: string,
    problem: string,
    isGone: boolean,
    firstRetryMs: number,
    now = Date.now(),
  ): Promise<void> {
    return this.#database.transaction(async (statements) => {
      const row = await statements.get(`SELECT ${columns} FROM webhooks WHERE id = $webhookId`, { webhookId })
      if (row === undefined) return
      const { failures, failing_since } = webhookSchema.parse(row)
      const since = failing_since ?? now
      const wait = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 30))
      // Many that failed together are not tried again together.
      const retryAt = now + Math.round(wait * (0.8 + 0.4 * Math.random()))
      const isOver = isGone || now - since >= maxFailingMs
      await statements.run(
        `UPDATE webhooks SET failures = failures + 1, failing_since = $since, retry_at = $retryAt, problem = $problem,
           disabled_at = $disabledAt, taken_until = 0 WHERE id = $webhookId`,
        { since, retryAt: isOver ? null : retryAt, problem, disabledAt: isOver ? now : null, webhookId },
      )
      if (isOver) await statements.run('DELETE FROM webhook_deliveries WHERE webhook_id = $webhookId', { webhookId })
    })
  }
}

async function enqueue(statements: Statements, event: EventName, body: string, now: number): Promise<void> {
  const rows = await statements.all(
    `SELECT webhooks.id AS id, events FROM webhooks JOIN accounts ON accounts.id = account_id
     WHERE disabled_at IS NULL AND tier IN (${entitledTiers.join(', ')})`,
  )
  for (const { id, events } of z.array(webhookSchema.pick({ id: true, events: true })).parse(rows)) {
    if (!events.includes(event)) continue
    await statements.run(
      `INSERT INTO webhook_deliveries (id, webhook_id, event, body, created_at)
       VALUES ($id, $webhookId, $event, $body, $now)
       ON CONFLICT (webhook_id, event) DO UPDATE
         SET id = excluded.id, body = excluded.body, created_at = excluded.created_at`,
      { id: createMessageId(), webhookId: id, event, body, now },
    )
  }
}

async function claimUntil(statements: Statements, webhookId: string, time: number): Promise<void> {
  await statements.run('UPDATE webhooks SET taken_until = $time WHERE id = $webhookId', { time, webhookId })
}

/** By which a receiver tells that it got an event already. */
export const createMessageId = (): string => `msg_${randomBytes(12).toString('hex')}`
