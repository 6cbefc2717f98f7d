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
  alerts: get('/v1/alerts', 'Alerts with their state, newest first', alertRow, forAlerts),
  createAlert: create(
    '/v1/alerts',
    'Create an alert on a metric or formula; a webhook needs tier pro',
    changedAlertRow,
    { ...forAlerts, body: newAlertBody },
  ),
  tryAlert: post(
    '/v1/alerts/trial',
    'Days on which an alert would have fired, from the data that the caller sees; needs no account',
    alertTrialRow,
    { ...forAlerts, body: alertTrialBody },
  ),
  oneAlert: get('/v1/alerts/{id}', 'An alert with its state', alertRow, { ...forAlerts, pathParameters }),
  changeAlert: rarePost(
    '/v1/alerts/{id}',
    'Change an alert; absent fields stay as they are. If it watches something else then, it starts again',
    changedAlertRow,
    { ...forAlerts, pathParameters, body: alertChangeBody },
  ),
  removeAlert: remove('/v1/alerts/{id}', 'Delete an alert with its history', removedRow, {
    ...forAlerts,
    pathParameters,
  }),
  alertEvents: get(
    '/v1/alerts/{id}/events',
    'The newest 100 events of an alert with their deliveries, newest first',
    alertEventRow,
    { ...forAlerts, pathParameters },
  ),
  testAlert: rarePost(
    '/v1/alerts/{id}/test',
    'Queue a test message; its event shows whether mail and webhook accept it',
    alertEventRow,
    { ...forAlerts, pathParameters, status: 202 },
  ),
} as const
