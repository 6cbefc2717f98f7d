import type { RequestHandler } from 'express'
import { describeHealth } from '#state/health.ts'
import type { Operations } from './operations.ts'

/** Reports which data are served, how old they are and what is wrong. Status 503 only if nothing can be served. */
export function health(operations: Operations): RequestHandler {
  return async (_, response) => {
    const { state, served, proved } = await operations.read()
    response
      .status(served ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(describeHealth(state, served, proved))
  }
}

/** Liveness: a process that does not answer should be restarted. */
export const live: RequestHandler = (_, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' })
}

/** Readiness: a process without data should get no callers. */
export function ready(operations: Operations): RequestHandler {
  return async (_, response) => {
    const { served } = await operations.read()
    response
      .status(served ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status: served ? 'ok' : 'data_not_ready' })
  }
}
