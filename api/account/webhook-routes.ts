import { type AccountCall, type AddAction, removal } from '#accounts/account-call.ts'
import { formatSecret } from '#accounts/webhooks/signature.ts'
import { requireTarget } from '#accounts/webhooks/target.ts'
import type { WebhookDelivery } from '#accounts/webhooks/webhook-delivery.ts'
import { maxWebhooks, type Webhook } from '#accounts/webhooks/webhooks.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { newWebhookBody } from '#contract/accounts/webhooks.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { requirePro } from '../http/serve-data.ts'
import type { RouteParts } from './account-routes.ts'

export function addWebhooks(add: AddAction, { webhooks, sending }: RouteParts): void {
  const findOwn = async (accountId: number, call: AccountCall): Promise<Webhook> => {
    const webhook = await webhooks.find(accountId, call.parameter('id'))
    if (webhook) return webhook
    throw new ApiError('not_found', 'this account has no such webhook: /v1/webhooks lists them')
  }
  const requireSending = (): WebhookDelivery => {
    if (sending) return sending
    throw new ApiError('forbidden', 'nothing is sent from here: the operator has turned webhooks off (WEBHOOKS=off)')
  }

  add.signedIn(accountActions.webhooks, ({ account }) => webhooks.list(account.id))
  add.confirmed(accountActions.createWebhook, async ({ account }, call) => {
    const { policy } = requireSending().parts
    requirePro(call.request.caller, accountActions.createWebhook.path)
    const definition = parseBody(newWebhookBody, call.request.body)
    requireTarget(definition.url, policy, ' (unless the service runs with WEBHOOKS=any)')
    const added = await webhooks.add(account.id, definition)
    if (!added) {
      throw new ApiError('forbidden', `an account has at most ${maxWebhooks} webhooks: remove one first`)
    }
    const { webhook, secret } = added
    return [{ ...webhook, secret: formatSecret(secret) }]
  })
  add.confirmed(accountActions.rotateWebhook, async ({ account }, call) => {
    const webhook = await findOwn(account.id, call)
    return [{ ...webhook, secret: formatSecret(await webhooks.rotate(webhook.id)) }]
  })
  add.signedIn(accountActions.testWebhook, async ({ account }, call) => {
    const { id, url } = await findOwn(account.id, call)
    requirePro(call.request.caller, accountActions.createWebhook.path)
    const { isDelivered, problem } = await requireSending().test(id, url)
    return [{ taken: isDelivered, problem }]
  })
  add.signedIn(accountActions.removeWebhook, removal('webhook', accountActions.webhooks, webhooks))
}
