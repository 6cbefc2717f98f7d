import type { Request, RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'

/**
 * Prevents pages of other sites from acting with a visitor's cookie. Browsers name the source of a request in
 * Sec-Fetch-Site, or at least in Origin if something may change; programs send neither. `publicUrl` counts as this site
 * because proxies may rewrite Host.
 */
export function refuseOtherSites(publicUrl: string | undefined): RequestHandler {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return (request, _, next) => {
    const { origin } = request.headers
    const site = request.headers['sec-fetch-site']
    const isOwn = site === undefined ? isSameOrigin(request, origin) : site === 'same-origin' || site === 'none'
    if (isOwn || (origin !== undefined && origin === publicOrigin)) return next()
    throw new ApiError('forbidden', 'only pages of this service can use accounts')
  }
}

const isSameOrigin = ({ host }: Request, origin: string | undefined): boolean =>
  origin === undefined || URL.parse(origin)?.host === host
