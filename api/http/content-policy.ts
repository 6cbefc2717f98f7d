import type { RequestHandler } from 'express'

/** What pages of this service may load and do, as directives of a Content-Security-Policy: nothing of another host. */
const directives = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data: blob:",
  'object-src': "'none'",
  'require-trusted-types-for': "'script'",
} as const

const written = (policy: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(policy)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const pagePolicy = written(directives)

/** Swagger UI writes styles and HTML of its own. */
export const docsPolicy = written({
  ...directives,
  'style-src': "'self' 'unsafe-inline'",
  'require-trusted-types-for': undefined,
})

/** A chart that pages of other sites frame. It runs in an origin of its own, without cookies and storage, and changes nothing. */
const embedPolicy = written({
  ...directives,
  'form-action': "'none'",
  'frame-ancestors': '*',
  sandbox: 'allow-scripts allow-popups allow-popups-to-escape-sandbox',
})

/** An SVG that is looked at by itself has its styles and its font within. */
export const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; frame-ancestors *"

/** Headers that keep browsers from doing more than they need to, on every answer. */
export const securityHeaders = {
  'Content-Security-Policy': pagePolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
} as const

const consentPolicy = written({ ...directives, 'frame-ancestors': "'none'" })

/** Where a user allows something no other page may lie around or over it, and the app that opened it in a window may go on there. */
export const protectConsent: RequestHandler = (_, response, next) => {
  response.setHeader('Content-Security-Policy', consentPolicy)
  response.setHeader('X-Frame-Options', 'DENY')
  response.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none')
  next()
}

/** Lets pages of any site show this one in a frame. */
export const allowFrames: RequestHandler = (_, response, next) => {
  response.setHeader('Content-Security-Policy', embedPolicy)
  response.removeHeader('X-Frame-Options')
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  next()
}
