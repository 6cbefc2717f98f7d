import { newKeyBody } from '../bodies.ts'
import { connectionBody, connectionRequestRow, connectionRow, newConnectionRow } from '../connections.ts'
import { keyRow, newKeyRow, usageMeta, usageRow } from '../rows.ts'
import { newWebhookBody, newWebhookRow, webhookRow, webhookTestRow } from '../webhooks.ts'
import { confirmed, create, idPath, list, rarePost, remove, removedRow } from './defaults.ts'

const webhookIdPath = idPath('wh_0123456789ab')

export const programActions = {
  keys: list('/v1/keys', 'API keys of the account, newest first', keyRow),
  createKey: create('/v1/keys', `Create an API key; needs tier pro or higher, and ${confirmed}`, newKeyRow, {
    body: newKeyBody,
  }),
  revokeKey: remove('/v1/keys/{id}', 'Revoke an API key at once and for good', keyRow, {
    pathParameters: idPath('cs_0123456789ab'),
  }),
  usage: list(
    '/v1/usage',
    'Requests by day (UTC), key and endpoint, newest first, for 90 days: with a key those of that key, signed in all of the account; and what is left of the budgets of work',
    usageRow,
    { allowsKeys: true, meta: usageMeta },
  ),
  webhooks: list(
    '/v1/webhooks',
    'Webhooks of the account with the state of their deliveries, newest first',
    webhookRow,
  ),
  createWebhook: create(
    '/v1/webhooks',
    `Create a webhook, which receives signed events; needs tier pro or higher, and ${confirmed}`,
    newWebhookRow,
    { body: newWebhookBody },
  ),
  rotateWebhook: create(
    '/v1/webhooks/{id}/secret',
    `A new secret for signatures; for a day events are signed by the old one, too; ${confirmed}`,
    newWebhookRow,
    { pathParameters: webhookIdPath },
  ),
  testWebhook: rarePost(
    '/v1/webhooks/{id}/test',
    'Send an event of type test now; if it is accepted, a disabled webhook is enabled again',
    webhookTestRow,
    { pathParameters: webhookIdPath },
  ),
  removeWebhook: remove('/v1/webhooks/{id}', 'Delete a webhook', removedRow, { pathParameters: webhookIdPath }),
  connections: list(
    '/v1/connections',
    'Apps that see data with the rights of the account (OAuth), newest first',
    connectionRow,
  ),
  lookUpConnection: rarePost(
    '/v1/connections/lookup',
    'Describe the access that an app requests, without granting it',
    connectionRequestRow,
    { body: connectionBody },
  ),
  createConnection: create(
    '/v1/connections',
    `Give an app the access that it requests; ${confirmed}`,
    newConnectionRow,
    { body: connectionBody },
  ),
  removeConnection: remove('/v1/connections/{id}', 'End the access of an app at once and for good', removedRow, {
    pathParameters: idPath('app_0123456789ab'),
  }),
} as const
