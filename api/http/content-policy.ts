import type { RequestHandler } from 'express'

/** Nothing from other hosts. */
const directives = {
  'default-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data: blob:",
  'object-src': "'none'",
  'require-trusted-types-for': "'script'",
} as const

const formatPolicy = (policy: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(policy)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

const pagePolicy = formatPolicy(directives)

/** Swagger UI writes inline styles and HTML. */
export const docsPolicy = formatPolicy({
  ...directives,
  'style-src': "'self' 'unsafe-inline'",
  'require-trusted-types-for': undefined,
})

/** The worker of the page SQL compiles WebAssembly, and reads from this service only. */
export const workerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"

/** For a chart in a frame of another site: an opaque origin without cookies and storage. */
const embedPolicy = formatPolicy({
  ...directives,
  'form-action': "'none'",
  'frame-ancestors': '*',
  sandbox: 'allow-scripts allow-popups allow-popups-to-escape-sandbox',
})

/** A standalone SVG contains its styles and font. */
export const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; frame-ancestors *"

export const securityHeaders = (hstsSubdomains: boolean) => ({
  'Content-Security-Policy': pagePolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': `max-age=31536000${hstsSubdomains ? '; includeSubDomains' : ''}`,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
})

const consentPolicy = formatPolicy({ ...directives, 'frame-ancestors': "'none'" })

/**
 * For granting access: no page may frame it (clickjacking); the app that opened its window may
 * continue there.
 */
export const protectConsent: RequestHandler = (_, response, next) => {
  response.setHeader('Content-Security-Policy', consentPolicy)
  response.setHeader('X-Frame-Options', 'DENY')
  response.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none')
  next()
}

/** Pages of any site may frame this one. */
export const allowFrames: RequestHandler = (_, response, next) => {
  response.setHeader('Content-Security-Policy', embedPolicy)
  response.removeHeader('X-Frame-Options')
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  next()
}
