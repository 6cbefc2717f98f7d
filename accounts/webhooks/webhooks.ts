import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type EventName, eventNames } from '#contract/events.ts'
import { accountTiers, tiers } from '#contract/tiers.ts'
import { recordChange, recorded, removeOwned } from '../database/account-log.ts'
import { columnsOf, countRows, insertion, insertRow, type Statements, Store, timeText } from '../database/statements.ts'
import { claimMs, type Queue } from './delivery-loop.ts'

export const maxWebhooks = 10
const secretBytes = 32
const oldSecretMs = 86_400_000

const storedSchema = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.string().transform((text) => eventNames.filter((name) => text.split(' ').includes(name))),
  created_at: timeText,
  delivered_at: timeText.nullable(),
  failing_since: timeText.nullable(),
  retry_at: timeText.nullable(),
  problem: z.string().nullable(),
  disabled_at: timeText.nullable(),
})
const webhookSchema = storedSchema.extend({ waiting: z.int() })
export type Webhook = z.infer<typeof webhookSchema>

const columns = `${columnsOf(storedSchema)},
  (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = webhooks.id) AS waiting`

const bytes = z.instanceof(Uint8Array)
const secretsSchema = z.object({ secret: bytes, earlier_secret: bytes.nullable(), earlier_until: z.int() })
const deliverySchema = z.object({
  id: z.string(),
  webhook_id: z.string(),
  url: z.string(),
  body: z.string(),
  /** Failures of its webhook; `since` is their beginning. */
  attempts: z.int(),
  since: z.int().nullable(),
})
/** All attempts of a queued event have the same id. */
export type Delivery = z.infer<typeof deliverySchema>

/** Identifies the newest occurrence of each event; empty before the first. */
export type EventState = Readonly<Record<EventName, string>>

const ownerSchema = z.object({ account_id: z.int(), name: z.string() })
const stateSchema = z.object({ event: z.string(), state: z.string() })

const entitledTiers = accountTiers.filter((tier) => tiers[tier].grade >= tiers.pro.grade).map((tier) => `'${tier}'`)

/**
 * Webhooks and queued deliveries, stored so that processes share them and continue after each
 * other. Only the newest occurrence of an event is queued per webhook.
 */
export class Webhooks extends Store implements Queue<Delivery> {
  /** Returns undefined at `maxWebhooks`. The secret is stored unhashed: it signs events. */
  add(
    accountId: number,
    { name, url, events }: Pick<Webhook, 'name' | 'url'> & { readonly events: readonly EventName[] },
  ): Promise<{ readonly webhook: Webhook; readonly secret: Uint8Array } | undefined> {
    const secret = randomBytes(secretBytes)
    return this.database.transaction(async (statements) => {
      const count = await countRows(statements, 'webhooks WHERE account_id = $accountId', { accountId })
      if (count >= maxWebhooks) return undefined
      const row = {
        id: `wh_${randomBytes(6).toString('hex')}`,
        account_id: accountId,
        name,
        url,
        events: events.join(' '),
        secret,
        created_at: Date.now(),
      }
      const webhook = await statements.get(webhookSchema, insertion('webhooks', row, `RETURNING ${columns}`), row)
      await recordChange(statements, accountId, 'webhook added', `${row.id} (${name})`)
      return { webhook: webhook!, secret }
    })
  }

  list(accountId: number): Promise<Webhook[]> {
    const sql = `SELECT ${columns} FROM webhooks WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC`
    return this.database.all(webhookSchema, sql, { accountId })
  }

  async find(accountId: number, id: string): Promise<Webhook | undefined> {
    return (await this.list(accountId)).find((webhook) => webhook.id === id)
  }

  remove(accountId: number, id: string): Promise<boolean> {
    return removeOwned(this.database, ['webhooks', 'webhook'], accountId, id)
  }

  /** Returns a new secret. The previous one also signs for a day. */
  async rotate(id: string, now = Date.now()): Promise<Uint8Array> {
    const secret = randomBytes(secretBytes)
    const sql = `UPDATE webhooks SET earlier_secret = secret, earlier_until = $until, secret = $secret WHERE id = $id
      RETURNING account_id, name`
    const rotate = (statements: Statements) =>
      statements.get(ownerSchema, sql, { until: now + oldSecretMs, secret, id })
    await recorded(this.database, rotate, (row) => [row.account_id, 'secret of webhook replaced', row.name])
    return secret
  }

  async activeSecrets(id: string, now = Date.now()): Promise<readonly Uint8Array[]> {
    const sql = 'SELECT secret, earlier_secret, earlier_until FROM webhooks WHERE id = $id'
    const row = await this.database.get(secretsSchema, sql, { id })
    if (!row) return []
    const { secret, earlier_secret, earlier_until } = row
    return earlier_secret && earlier_until > now ? [secret, earlier_secret] : [secret]
  }

  /** Queues events between the last announced state and `state`; the first call only stores it. */
  announce(state: EventState, createBody: (event: EventName) => string, now = Date.now()): Promise<void> {
    return this.database.transaction(async (statements) => {
      const rows = await statements.all(stateSchema, 'SELECT event, state FROM announced_events')
      const announced = new Map(rows.map((row) => [row.event, row.state]))
      for (const event of eventNames) {
        const before = announced.get(event)
        if (before === state[event] || (before !== undefined && state[event] === '')) continue
        const replace = 'ON CONFLICT (event) DO UPDATE SET state = excluded.state'
        await insertRow(statements, 'announced_events', { event, state: state[event] }, replace)
        if (before !== undefined) await enqueue(statements, event, createBody(event), now)
      }
    })
  }

  /** Returns due deliveries, at most one per webhook, and blocks other claims on those webhooks. */
  claim(max: number, claimedMs = claimMs, now = Date.now()): Promise<Delivery[]> {
    return this.database.transaction(async (statements) => {
      const deliveries = await statements.all(
        deliverySchema,
        `SELECT * FROM
           (SELECT webhook_deliveries.id AS id, webhook_id, url, body, failures AS attempts, failing_since AS since,
              webhook_deliveries.created_at AS queued_at,
              row_number() OVER (PARTITION BY webhook_id ORDER BY webhook_deliveries.created_at) AS place
            FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
            WHERE disabled_at IS NULL AND coalesce(retry_at, 0) <= $now AND taken_until <= $now) AS due
         WHERE place = 1 ORDER BY queued_at LIMIT $max`,
        { now, max },
      )
      for (const { webhook_id } of deliveries) await claimUntil(statements, webhook_id, now + claimedMs)
      return deliveries
    })
  }

  release({ webhook_id }: Delivery): Promise<void> {
    return claimUntil(this.database, webhook_id, 0)
  }

  markDelivered({ id, webhook_id: webhookId }: Pick<Delivery, 'id' | 'webhook_id'>, now = Date.now()): Promise<void> {
    return this.database.transaction(async (statements) => {
      await statements.run('DELETE FROM webhook_deliveries WHERE id = $id', { id })
      await statements.run(
        `UPDATE webhooks SET delivered_at = $now, failures = 0, failing_since = NULL, retry_at = NULL, problem = NULL,
           disabled_at = NULL, taken_until = 0 WHERE id = $webhookId`,
        { now, webhookId },
      )
    })
  }

  /** Null `retryAt` disables the webhook. */
  markFailed({ webhook_id: id }: Delivery, problem: string, retryAt: number | null, now = Date.now()): Promise<void> {
    return this.database.transaction(async (statements) => {
      await statements.run(
        `UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, $now), retry_at = $retryAt,
           problem = $problem, disabled_at = $disabledAt, taken_until = 0 WHERE id = $id`,
        { id, problem, retryAt, disabledAt: retryAt === null ? now : null, now },
      )
      if (retryAt === null) await statements.run('DELETE FROM webhook_deliveries WHERE webhook_id = $id', { id })
    })
  }
}

async function enqueue(statements: Statements, event: EventName, body: string, now: number): Promise<void> {
  await statements.run(
    `INSERT INTO webhook_deliveries (id, webhook_id, event, body, created_at)
       SELECT $id || '_' || webhooks.id, webhooks.id, $event, $body, $now
       FROM webhooks JOIN accounts ON accounts.id = account_id
       WHERE disabled_at IS NULL AND tier IN (${entitledTiers.join(', ')}) AND ' ' || events || ' ' LIKE '% ' || $event || ' %'
     ON CONFLICT (webhook_id, event) DO UPDATE
       SET id = excluded.id, body = excluded.body, created_at = excluded.created_at`,
    { id: createMessageId(), event, body, now },
  )
}

async function claimUntil(statements: Statements, webhookId: string, time: number): Promise<void> {
  await statements.run('UPDATE webhooks SET taken_until = $time WHERE id = $webhookId', { time, webhookId })
}

/** Receivers recognise repeated deliveries by this id. */
export const createMessageId = (): string => `msg_${randomBytes(12).toString('hex')}`
