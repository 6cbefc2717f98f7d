import {
  alertChangeBody,
  alertEventRow,
  alertRow,
  alertTrialBody,
  alertTrialRow,
  changedAlertRow,
  newAlertBody,
} from '../../alerts.ts'
import { create, get, idPath, post, rarePost, remove, removedRow } from './defaults.ts'

/** For the account of a session, key or token; for the operator under open access. */
const forAlerts = { allowsKeys: true, allowsOpen: true } as const
const pathParameters = idPath('al_0123456789ab')

export const alertActions = {
  alerts: {
    ...get,
    ...forAlerts,
    path: '/v1/alerts',
    summary: 'Alerts with their state, newest first',
    row: alertRow,
  },
  createAlert: {
    ...create,
    ...forAlerts,
    path: '/v1/alerts',
    summary: 'Create an alert on a metric or formula; a webhook needs tier pro',
    body: newAlertBody,
    row: changedAlertRow,
  },
  tryAlert: {
    ...post,
    ...forAlerts,
    path: '/v1/alerts/trial',
    summary: 'Days on which an alert would have fired, from the data that the caller sees; needs no account',
    body: alertTrialBody,
    row: alertTrialRow,
  },
  changeAlert: {
    ...rarePost,
    ...forAlerts,
    path: '/v1/alerts/{id}',
    summary: 'Change an alert; absent fields stay as they are. If it watches something else then, it starts again',
    pathParameters,
    body: alertChangeBody,
    row: changedAlertRow,
  },
  removeAlert: {
    ...remove,
    ...forAlerts,
    path: '/v1/alerts/{id}',
    summary: 'Delete an alert with its history',
    pathParameters,
    row: removedRow,
  },
  alertEvents: {
    ...get,
    ...forAlerts,
    path: '/v1/alerts/{id}/events',
    summary: 'The newest 100 events of an alert with their deliveries, newest first',
    pathParameters,
    row: alertEventRow,
  },
  testAlert: {
    ...rarePost,
    ...forAlerts,
    path: '/v1/alerts/{id}/test',
    summary: 'Queue a test message; its event shows whether mail and webhook accept it',
    pathParameters,
    row: alertEventRow,
    status: 202,
  },
} as const
