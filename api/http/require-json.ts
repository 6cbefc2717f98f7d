import type { RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'

/** Throws `unsupported_media_type` for a body that is not said to be JSON. */
export const requireJson: RequestHandler = (request, _, next) => {
  if (request.is('application/json')) return next()
  throw new ApiError('unsupported_media_type', 'send a JSON body with the header Content-Type: application/json')
}
