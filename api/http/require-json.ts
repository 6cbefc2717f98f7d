import type { RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'

/** Throws `unsupported_media_type` unless Content-Type is JSON. */
export const requireJson: RequestHandler = (request, _, next) => {
  if (request.is('application/json')) return next()
  throw new ApiError('unsupported_media_type', 'send a JSON body with the header Content-Type: application/json')
}
