import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'

/** For whom a message is counted. */
export interface CountedCaller {
  readonly name: string
  readonly isUnlimited: boolean
}

export type CallerOf = (request: Request) => CountedCaller

/** An assistant of the older protocol that connects for a single call sends three messages. */
const messagesPerCall = 3

/**
 * Bounds the messages of each caller in a minute, since connecting and listing ask the API for nothing and so spend
 * none of its limits.
 */
export function limitMessages(requestsPerMinute: number, callerOf: CallerOf): RequestHandler {
  const limit = requestsPerMinute * messagesPerCall
  return rateLimit({
    windowMs: 60_000,
    limit,
    keyGenerator: (request) => callerOf(request).name,
    skip: (request) => callerOf(request).isUnlimited,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // Its checks are for callers that are told apart by address alone.
    validate: false,
    handler: (_, response) => {
      const wait = response.getHeader('Retry-After')
      const message = `more than ${limit} messages in a minute; try again in ${wait} seconds`
      response.status(429).json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } })
    },
  })
}

/** Tells callers apart by their keys, or their addresses without one, where nobody knows which keys there are. */
export const callerByKey: CallerOf = ({ headers: { authorization }, ip = 'unknown' }) => ({
  // IPv6 networks hand out a /64 to each customer.
  name: authorization === undefined ? ipKeyGenerator(ip, 64) : createHash('sha256').update(authorization).digest('hex'),
  isUnlimited: false,
})
