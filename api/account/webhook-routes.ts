import type { Request } from 'express'
import { secretText } from '#accounts/webhooks/signature.ts'
import { requireTarget, type TargetPolicy } from '#accounts/webhooks/target.ts'
import type { Postman } from '#accounts/webhooks/webhook-delivery.ts'
import { mostWebhooks, type Webhook } from '#accounts/webhooks/webhooks.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { newWebhookBody } from '#contract/accounts/webhooks.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { requirePro } from '../http/serve-data.ts'
import type { AccountDesk } from './account-service.ts'
import { isoTime, optionalTime } from './account-service.ts'

/** What sends to webhooks, and where it may; undefined where the operator wants none. */
export interface WebhookSending {
  readonly postman: Postman
  readonly policy: TargetPolicy
}

/** Adds webhooks: addresses that events are sent to. */
export function addWebhooks(desk: AccountDesk, sending: WebhookSending | undefined): void {
  const { webhooks, calls } = desk.services

  const own = async (accountId: number, request: Request): Promise<Webhook> => {
    const webhook = await webhooks.find(accountId, String(request.params.id))
    if (webhook) return webhook
    throw new ApiError('not_found', 'this account has no such webhook: /v1/webhooks lists them')
  }
  const requireSending = (): WebhookSending => {
    if (sending) return sending
    throw new ApiError('forbidden', 'nothing is sent from here: the operator has turned webhooks off (WEBHOOKS=off)')
  }

  desk.add(accountActions.webhooks, async (request) =>
    (await webhooks.list((await desk.signedIn(request)).account.id)).map((webhook) => shownWebhook(webhook)),
  )
  desk.add(accountActions.createWebhook, async (request) => {
    const { account } = await desk.confirmed(request)
    const { policy } = requireSending()
    requirePro(calls.of(request).caller, accountActions.createWebhook.path)
    const asked = parseBody(newWebhookBody, request.body)
    requireTarget(asked.url, policy, ' (unless the service runs with WEBHOOKS=any)')
    const added = await webhooks.add(account.id, asked)
    if (!added) {
      throw new ApiError('forbidden', `an account has at most ${mostWebhooks} webhooks: remove one first`)
    }
    const { webhook, secret } = added
    return [{ ...shownWebhook(webhook), secret: secretText(secret) }]
  })
  desk.add(accountActions.rotateWebhook, async (request) => {
    const webhook = await own((await desk.confirmed(request)).account.id, request)
    return [{ ...shownWebhook(webhook), secret: secretText(await webhooks.rotate(webhook.id)) }]
  })
  desk.add(accountActions.testWebhook, async (request) => {
    const { id, url } = await own((await desk.signedIn(request)).account.id, request)
    requirePro(calls.of(request).caller, accountActions.createWebhook.path)
    const { taken, problem } = await requireSending().postman.test(id, url)
    return [{ taken, problem }]
  })
  desk.add(accountActions.removeWebhook, async (request) => {
    const { account } = await desk.signedIn(request)
    const { id } = await own(account.id, request)
    await webhooks.remove(account.id, id)
    return [{ id }]
  })
}

const shownWebhook = ({ account_id: _, failures: __, ...webhook }: Webhook) => ({
  ...webhook,
  created_at: isoTime(webhook.created_at),
  delivered_at: optionalTime(webhook.delivered_at),
  failing_since: optionalTime(webhook.failing_since),
  retry_at: optionalTime(webhook.retry_at),
  disabled_at: optionalTime(webhook.disabled_at),
})
