import type { ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'

const exposedHeaders = [
  'API-Version',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Coinstrata-Meta',
  'X-Generation',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Render-Id',
  'X-Chart-Remarks',
  'X-Request-Id',
].join(', ')

/** Browsers send no cookies with such requests. */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders)
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
}

export const allowOrigins: RequestHandler = (_, response, next) => {
  allowAnyOrigin(response)
  next()
}

export const preflight: RequestHandler = (_, response) => {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD, POST',
    'Access-Control-Allow-Headers':
      'Authorization, X-API-Key, Content-Type, Accept, If-None-Match, Last-Event-ID, Range, If-Range',
    'Access-Control-Max-Age': '86400',
  })
  response.status(204).end()
}
