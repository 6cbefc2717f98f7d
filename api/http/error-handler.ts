import type { ErrorRequestHandler } from 'express'
import { z } from 'zod'
import { isUnavailable } from '#accounts/database/statements.ts'
import type { ErrorCode } from '#base/error-codes.ts'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import type { Logger } from '#base/log.ts'
import { ApiError, type ApiErrorCode, accountsUnavailable, errorBody } from '#contract/api-error.ts'
import { ChartRequestError } from '#render/request/request-error.ts'
import { FormulaError } from '#sql/formula/formula-error.ts'
import { isUnwritable } from '#state/open-database.ts'
import { varyHeader } from './send-answer.ts'

/** Prefix of requests by TradingView's datafeed protocol (UDF), which has its own words for errors. */
export const udfPath = '/v1/udf'

/** Sends failures as JSON. Faults of the service are logged, and sent without details. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const known = translate(error)
    const isFault = known.code === 'internal' || known.code === 'storage_unavailable'
    const isDisconnected = disconnectionCodes.some((code) => hasErrorCode(error, code))
    if (isDisconnected || response.headersSent || response.destroyed) {
      // The client disconnected, or part of the answer has been sent already.
      if (!isDisconnected && (isFault || response.headersSent))
        log.error({ err: error, url: request.originalUrl }, 'answer broken off')
      response.destroy()
      return
    }
    if (isFault) log.error({ err: error, url: request.originalUrl }, 'request failed')
    for (const name of ['ETag', 'Content-Disposition', 'Content-Encoding', 'X-Coinstrata-Meta']) {
      response.removeHeader(name)
    }
    if (known.code === 'method_not_allowed') response.set('Allow', String(known.details?.allowed).replaceAll(',', ', '))
    if (known.status === 401) response.set('WWW-Authenticate', 'Bearer')
    const retryAfter = typeof known.details?.retry_after === 'number' ? known.details.retry_after : undefined
    if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter))
    response.set('Cache-Control', 'no-store').set('Vary', varyHeader)
    const udf = request.originalUrl.startsWith(`${udfPath}/`) && { s: 'error', errmsg: known.message }
    response.status(known.status).json({ ...udf, ...errorBody(known, retryAfter) })
  }
}

/** Thrown by Express and its body parser. */
const frameworkError = z.object({ status: z.int().min(400).max(499), type: z.string().optional(), message: z.string() })

/** Internal errors whose message clients may read. */
const publicCodes: Partial<Record<ErrorCode, ApiErrorCode>> = {
  data_not_ready: 'data_not_ready',
  invalid_argument: 'invalid_parameter',
  mail_failed: 'mail_unavailable',
  mail_refused: 'invalid_parameter',
  render_timeout: 'render_timeout',
  secrets_key_wrong: 'storage_unavailable',
}

const dataRetrySeconds = 15

const codesByStatus: Readonly<Record<number, ApiErrorCode>> = {
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

function translate(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ChartRequestError) return new ApiError(error.reason, error.message, { ...error.problem })
  if (error instanceof FormulaError) {
    const { message, cure, position, suggestion } = error
    const text = `parameter 'formula': ${message}${message.endsWith('?') ? ' ' : '; '}${cure}`
    const details = { parameter: 'formula', position, ...(suggestion !== undefined && { suggestion }) }
    return new ApiError('invalid_parameter', text, details)
  }
  if (isUnavailable(error)) return accountsUnavailable()
  const publicCode = error instanceof CoinstrataError ? publicCodes[error.code] : undefined
  if (publicCode && error instanceof CoinstrataError) {
    const { message, cure } = error
    const details = publicCode === 'data_not_ready' ? { retry_after: dataRetrySeconds } : undefined
    return new ApiError(publicCode, cure ? `${message}: ${cure}` : message, details)
  }
  if (error instanceof URIError) return new ApiError('invalid_parameter', 'the path has an invalid percent-encoding')
  if (isUnwritable(error)) {
    return new ApiError('storage_unavailable', 'nothing can be stored right now; published data is still served')
  }
  const parsed = frameworkError.safeParse(error)
  if (parsed.success) {
    const { status, message } = parsed.data
    return new ApiError(codesByStatus[status] ?? 'invalid_parameter', `the request cannot be read: ${message}`)
  }
  return new ApiError('internal', 'something went wrong in this service; the error was logged')
}

/** The client disconnected during the answer, before it, or while its body was read. */
const disconnectionCodes = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ECONNABORTED']
