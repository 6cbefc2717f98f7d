import type { RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'
import type { Calls } from '../http/calls.ts'
import type { Listeners } from './listeners.ts'

const contentType = 'text/event-stream'

/** Streams what is published until the caller disconnects. Throws `not_acceptable`. */
export function serveEvents(listeners: Listeners, calls: Calls): RequestHandler {
  return async (request, response) => {
    if (!request.accepts(contentType)) {
      throw new ApiError('not_acceptable', `Accept must name ${contentType}`, { allowed: [contentType] })
    }
    // X-Accel-Buffering tells proxies to forward each event at once.
    const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
    if (request.method === 'HEAD') return void response.set(headers).end()
    await listeners.add(request, response.set(headers), calls.of(request).caller)
  }
}
