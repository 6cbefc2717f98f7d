import { z } from 'zod'
import {
  alertChangeBody,
  alertEventRow,
  alertRow,
  alertTrialBody,
  alertTrialRow,
  changedAlertRow,
  newAlertBody,
} from '../../alerts.ts'
import { actionDefaults, idPath } from './defaults.ts'

/** For the account of a session, key or token; for the operator under open access. */
const alertDefaults = { ...actionDefaults, allowsKeys: true, allowsOpen: true } as const
const pathParameters = idPath('al_0123456789ab')

export const alertActions = {
  alerts: {
    ...alertDefaults,
    method: 'get',
    path: '/v1/alerts',
    summary: 'Alerts with their state, newest first',
    row: alertRow,
  },
  createAlert: {
    ...alertDefaults,
    method: 'post',
    path: '/v1/alerts',
    summary: 'Create an alert on a metric or formula; a webhook needs tier pro',
    body: newAlertBody,
    row: changedAlertRow,
    status: 201,
    limitShare: 0.1,
  },
  tryAlert: {
    ...alertDefaults,
    method: 'post',
    path: '/v1/alerts/trial',
    summary: 'Days on which an alert would have fired, from the data that the caller sees; needs no account',
    body: alertTrialBody,
    row: alertTrialRow,
  },
  changeAlert: {
    ...alertDefaults,
    method: 'post',
    path: '/v1/alerts/{id}',
    summary: 'Change an alert; absent fields stay as they are. If it watches something else then, it starts again',
    pathParameters,
    body: alertChangeBody,
    row: changedAlertRow,
    limitShare: 0.1,
  },
  removeAlert: {
    ...alertDefaults,
    method: 'delete',
    path: '/v1/alerts/{id}',
    summary: 'Delete an alert with its history',
    pathParameters,
    row: z.strictObject({ id: z.string() }),
  },
  alertEvents: {
    ...alertDefaults,
    method: 'get',
    path: '/v1/alerts/{id}/events',
    summary: 'The newest 100 events of an alert with their deliveries, newest first',
    pathParameters,
    row: alertEventRow,
  },
  testAlert: {
    ...alertDefaults,
    method: 'post',
    path: '/v1/alerts/{id}/test',
    summary: 'Queue a test message; its event shows whether mail and webhook accept it',
    pathParameters,
    row: alertEventRow,
    status: 202,
    limitShare: 0.1,
  },
} as const
