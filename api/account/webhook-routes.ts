import { type AccountCall, type AddAction, formatOptionalTime, formatTime } from '#accounts/account-call.ts'
import type { AccountServices } from '#accounts/services.ts'
import { formatSecret } from '#accounts/webhooks/signature.ts'
import { requireTarget, type TargetPolicy } from '#accounts/webhooks/target.ts'
import type { WebhookDelivery } from '#accounts/webhooks/webhook-delivery.ts'
import { maxWebhooks, type Webhook } from '#accounts/webhooks/webhooks.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { newWebhookBody } from '#contract/accounts/webhooks.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { requirePro } from '../http/serve-data.ts'

export interface WebhookSending {
  readonly delivery: WebhookDelivery
  readonly policy: TargetPolicy
}

export function addWebhooks(add: AddAction, services: AccountServices, sending: WebhookSending | undefined): void {
  const { webhooks } = services

  const findOwn = async (accountId: number, call: AccountCall): Promise<Webhook> => {
    const webhook = await webhooks.find(accountId, call.parameter('id'))
    if (webhook) return webhook
    throw new ApiError('not_found', 'this account has no such webhook: /v1/webhooks lists them')
  }
  const requireSending = (): WebhookSending => {
    if (sending) return sending
    throw new ApiError('forbidden', 'nothing is sent from here: the operator has turned webhooks off (WEBHOOKS=off)')
  }

  add(accountActions.webhooks, async (call) =>
    (await webhooks.list((await call.signedIn()).account.id)).map((webhook) => describeWebhook(webhook)),
  )
  add(accountActions.createWebhook, async (call) => {
    const { account } = await call.confirmed()
    const { policy } = requireSending()
    requirePro(call.request.caller, accountActions.createWebhook.path)
    const definition = parseBody(newWebhookBody, call.body)
    requireTarget(definition.url, policy, ' (unless the service runs with WEBHOOKS=any)')
    const added = await webhooks.add(account.id, definition)
    if (!added) {
      throw new ApiError('forbidden', `an account has at most ${maxWebhooks} webhooks: remove one first`)
    }
    const { webhook, secret } = added
    return [{ ...describeWebhook(webhook), secret: formatSecret(secret) }]
  })
  add(accountActions.rotateWebhook, async (call) => {
    const webhook = await findOwn((await call.confirmed()).account.id, call)
    return [{ ...describeWebhook(webhook), secret: formatSecret(await webhooks.rotate(webhook.id)) }]
  })
  add(accountActions.testWebhook, async (call) => {
    const { id, url } = await findOwn((await call.signedIn()).account.id, call)
    requirePro(call.request.caller, accountActions.createWebhook.path)
    const { isDelivered, problem } = await requireSending().delivery.test(id, url)
    return [{ taken: isDelivered, problem }]
  })
  add(accountActions.removeWebhook, async (call) => {
    const { account } = await call.signedIn()
    const { id } = await findOwn(account.id, call)
    await webhooks.remove(account.id, id)
    return [{ id }]
  })
}

const describeWebhook = ({ account_id: _, failures: __, ...webhook }: Webhook) => ({
  ...webhook,
  created_at: formatTime(webhook.created_at),
  delivered_at: formatOptionalTime(webhook.delivered_at),
  failing_since: formatOptionalTime(webhook.failing_since),
  retry_at: formatOptionalTime(webhook.retry_at),
  disabled_at: formatOptionalTime(webhook.disabled_at),
})
