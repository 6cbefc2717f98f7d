import { z } from 'zod'
import { newKeyBody } from '../bodies.ts'
import { connectionBody, connectionRequestRow, connectionRow, newConnectionRow } from '../connections.ts'
import { keyRow, newKeyRow, usageMeta, usageRow } from '../rows.ts'
import { newWebhookBody, newWebhookRow, webhookRow, webhookTestRow } from '../webhooks.ts'
import { actionDefaults, confirmed, idPath, listDefaults } from './defaults.ts'

const webhookIdPath = idPath('wh_0123456789ab')

export const programActions = {
  keys: {
    ...listDefaults,
    path: '/v1/keys',
    summary: 'API keys of the account, newest first',
    row: keyRow,
  },
  createKey: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/keys',
    summary: `Create an API key; needs tier pro or higher, and ${confirmed}`,
    body: newKeyBody,
    row: newKeyRow,
    status: 201,
    limitShare: 0.1,
  },
  revokeKey: {
    ...actionDefaults,
    method: 'delete',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key at once and for good',
    pathParameters: idPath('cs_0123456789ab'),
    row: keyRow,
  },
  usage: {
    ...listDefaults,
    allowsKeys: true,
    path: '/v1/usage',
    summary:
      'Requests by day (UTC), key and endpoint, newest first, for 90 days: with a key those of that key, signed in all of the account; and what is left of the budgets of work',
    row: usageRow,
    meta: usageMeta,
  },
  webhooks: {
    ...listDefaults,
    path: '/v1/webhooks',
    summary: 'Webhooks of the account with the state of their deliveries, newest first',
    row: webhookRow,
  },
  createWebhook: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/webhooks',
    summary: `Create a webhook, which receives signed events; needs tier pro or higher, and ${confirmed}`,
    body: newWebhookBody,
    row: newWebhookRow,
    status: 201,
    limitShare: 0.1,
  },
  rotateWebhook: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/webhooks/{id}/secret',
    summary: `A new secret for signatures; for a day events are signed by the old one, too; ${confirmed}`,
    pathParameters: webhookIdPath,
    row: newWebhookRow,
    status: 201,
    limitShare: 0.1,
  },
  testWebhook: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send an event of type test now; if it is accepted, a disabled webhook is enabled again',
    pathParameters: webhookIdPath,
    row: webhookTestRow,
    limitShare: 0.1,
  },
  removeWebhook: {
    ...actionDefaults,
    method: 'delete',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook',
    pathParameters: webhookIdPath,
    row: z.strictObject({ id: z.string() }),
  },
  connections: {
    ...listDefaults,
    path: '/v1/connections',
    summary: 'Apps that see data with the rights of the account (OAuth), newest first',
    row: connectionRow,
  },
  lookUpConnection: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/connections/lookup',
    summary: 'Describe the access that an app requests, without granting it',
    body: connectionBody,
    row: connectionRequestRow,
    limitShare: 0.1,
  },
  createConnection: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/connections',
    summary: `Give an app the access that it requests; ${confirmed}`,
    body: connectionBody,
    row: newConnectionRow,
    status: 201,
    limitShare: 0.1,
  },
  removeConnection: {
    ...actionDefaults,
    method: 'delete',
    path: '/v1/connections/{id}',
    summary: 'End the access of an app at once and for good',
    pathParameters: idPath('app_0123456789ab'),
    row: z.strictObject({ id: z.string() }),
  },
} as const
