import { newKeyBody } from '../bodies.ts'
import { connectionBody, connectionRequestRow, connectionRow, newConnectionRow } from '../connections.ts'
import { keyRow, newKeyRow, usageMeta, usageRow } from '../rows.ts'
import { newWebhookBody, newWebhookRow, webhookRow, webhookTestRow } from '../webhooks.ts'
import { confirmed, create, idPath, list, rarePost, remove, removedRow } from './defaults.ts'

const webhookIdPath = idPath('wh_0123456789ab')

export const programActions = {
  keys: {
    ...list,
    path: '/v1/keys',
    summary: 'API keys of the account, newest first',
    row: keyRow,
  },
  createKey: {
    ...create,
    path: '/v1/keys',
    summary: `Create an API key; needs tier pro or higher, and ${confirmed}`,
    body: newKeyBody,
    row: newKeyRow,
  },
  revokeKey: {
    ...remove,
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key at once and for good',
    pathParameters: idPath('cs_0123456789ab'),
    row: keyRow,
  },
  usage: {
    ...list,
    allowsKeys: true,
    path: '/v1/usage',
    summary:
      'Requests by day (UTC), key and endpoint, newest first, for 90 days: with a key those of that key, signed in all of the account; and what is left of the budgets of work',
    row: usageRow,
    meta: usageMeta,
  },
  webhooks: {
    ...list,
    path: '/v1/webhooks',
    summary: 'Webhooks of the account with the state of their deliveries, newest first',
    row: webhookRow,
  },
  createWebhook: {
    ...create,
    path: '/v1/webhooks',
    summary: `Create a webhook, which receives signed events; needs tier pro or higher, and ${confirmed}`,
    body: newWebhookBody,
    row: newWebhookRow,
  },
  rotateWebhook: {
    ...create,
    path: '/v1/webhooks/{id}/secret',
    summary: `A new secret for signatures; for a day events are signed by the old one, too; ${confirmed}`,
    pathParameters: webhookIdPath,
    row: newWebhookRow,
  },
  testWebhook: {
    ...rarePost,
    path: '/v1/webhooks/{id}/test',
    summary: 'Send an event of type test now; if it is accepted, a disabled webhook is enabled again',
    pathParameters: webhookIdPath,
    row: webhookTestRow,
  },
  removeWebhook: {
    ...remove,
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook',
    pathParameters: webhookIdPath,
    row: removedRow,
  },
  connections: {
    ...list,
    path: '/v1/connections',
    summary: 'Apps that see data with the rights of the account (OAuth), newest first',
    row: connectionRow,
  },
  lookUpConnection: {
    ...rarePost,
    path: '/v1/connections/lookup',
    summary: 'Describe the access that an app requests, without granting it',
    body: connectionBody,
    row: connectionRequestRow,
  },
  createConnection: {
    ...create,
    path: '/v1/connections',
    summary: `Give an app the access that it requests; ${confirmed}`,
    body: connectionBody,
    row: newConnectionRow,
  },
  removeConnection: {
    ...remove,
    path: '/v1/connections/{id}',
    summary: 'End the access of an app at once and for good',
    pathParameters: idPath('app_0123456789ab'),
    row: removedRow,
  },
} as const
