import { createHash } from 'node:crypto'
import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { limitJson } from '#base/json-limits.ts'
import type { Logger } from '#base/log.ts'
import { accessTokenPrefix } from '#contract/oauth.ts'

export interface CountedCaller {
  readonly name: string
  readonly isUnlimited: boolean
  /** Why every message is refused. */
  readonly refusal?: { readonly status: number; readonly message: string } | undefined
  /** `WWW-Authenticate` of a refusal. */
  readonly challenge?: string | undefined
}

export type IdentifyCaller = (request: Request) => CountedCaller | Promise<CountedCaller>

/** Clients of older protocol revisions may connect for a single call. */
const messagesPerCall = 3

/** A batch is answered at once. Only revision 2025-03-26 has batches. */
const maxBatchMessages = 5

/** Connecting and listing do not count as API requests, so messages are limited too. */
export function limitMessages(
  requestsPerMinute: number,
  maxBodyBytes: number,
  identifyCaller: IdentifyCaller,
  log: Logger,
): readonly RequestHandler[] {
  const limit = requestsPerMinute * messagesPerCall
  const count = rateLimit({
    windowMs: 60_000,
    limit,
    keyGenerator: async (request) => (await identifyCaller(request)).name,
    skip: async (request) => (await identifyCaller(request)).isUnlimited,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The library's checks assume callers identified by address and requests that count once.
    validate: false,
    handler: (_, response) => {
      const wait = response.getHeader('Retry-After')
      refuse(log, response, 429, -32_000, `more than ${limit} messages in a minute; try again in ${wait} seconds`)
    },
  })
  // All content types, so that no batch is uncounted. The protocol server refuses all but JSON.
  const read = express.json({ limit: maxBodyBytes, type: () => true, verify: limitJson })
  return [
    count,
    (request, response, next) =>
      read(request, response, (error?: unknown) => {
        const status = readStatus(error)
        if (status === undefined) next(error)
        else if (status === 413) refuse(log, response, status, -32_000, `more than ${maxBodyBytes} bytes`)
        else refuse(log, response, status, ProtocolErrorCode.ParseError, 'the body is not JSON in UTF-8')
      }),
    (request, response, next) => {
      const messages = Array.isArray(request.body) ? request.body.length : 1
      if (messages > maxBatchMessages) {
        const message = `a batch of ${messages} messages; send at most ${maxBatchMessages} at a time, or each on its own`
        refuse(log, response, 400, ProtocolErrorCode.InvalidRequest, message)
        return
      }
      const countOthers = (left: number): void => {
        // The library appends to existing headers.
        for (const name of ['RateLimit', 'RateLimit-Policy']) response.removeHeader(name)
        count(request, response, (error) => {
          if (error !== undefined || left <= 1) next(error)
          else countOthers(left - 1)
        })
      }
      if (messages > 1) countOthers(messages - 1)
      else next()
    },
  ]
}

const readStatus = (error: unknown): number | undefined =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined

/** Refuses callers with an invalid key or without a required one. */
export const refuseCallers =
  (identifyCaller: IdentifyCaller, log: Logger): RequestHandler =>
  async (request, response, next) => {
    const { refusal, challenge } = await identifyCaller(request)
    if (!refusal) return next()
    if (challenge !== undefined) response.set('WWW-Authenticate', challenge)
    refuse(log, response, refusal.status, -32_000, refusal.message)
  }

function refuse(log: Logger, response: Response, status: number, code: number, message: string): void {
  log.debug({ status, reason: message }, 'tool request refused')
  response.status(status).json({ jsonrpc: '2.0', id: null, error: { code, message } })
}

/** By key hash or address: for servers that cannot check keys. */
export const identifyByKey = ({
  headers: { authorization, 'x-api-key': apiKey },
  ip = 'unknown',
}: Request): CountedCaller => {
  const key = authorization?.replace(/^Bearer +/i, '') ?? apiKey?.toString()
  return {
    // An IPv6 customer usually owns a /64.
    name: key === undefined ? ipKeyGenerator(ip, 64) : createHash('sha256').update(key).digest('hex'),
    isUnlimited: false,
    ...(key?.startsWith(accessTokenPrefix) && { refusal: foreignToken, challenge: 'Bearer error="invalid_token"' }),
  }
}

const foreignToken = { status: 401, message: 'access tokens are for the address that the app was connected to' }
