import type { RequestHandler } from 'express'
import { healthOf } from '#state/health.ts'
import type { Operations } from './operations.ts'

/** Tells which data are served, how old they are, and what is wrong; 503 only where nothing can be served. */
export function health(operations: Operations): RequestHandler {
  return async (_, response) => {
    const { state, served, proved } = await operations.read()
    response
      .status(served ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(healthOf(state, served, proved))
  }
}

/** The process answers: whether to restart it. */
export const live: RequestHandler = (_, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' })
}

/** There is something to serve: whether to send callers here. */
export function ready(operations: Operations): RequestHandler {
  return async (_, response) => {
    const { served } = await operations.read()
    response
      .status(served ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status: served ? 'ok' : 'data_not_ready' })
  }
}
