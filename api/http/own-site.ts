import type { Request, RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'

/**
 * Pages of other sites must not act with the cookie of a visitor. Browsers tell where a request comes from in
 * Sec-Fetch-Site, and at least in Origin where something may change; programs send neither. `publicUrl` counts as this
 * site, as proxies may write another Host.
 */
export function refuseOtherSites(publicUrl: string | undefined): RequestHandler {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return (request, _, next) => {
    const { origin } = request.headers
    const site = request.headers['sec-fetch-site']
    const isOwn = site === undefined ? isOwnOrigin(request, origin) : site === 'same-origin' || site === 'none'
    if (isOwn || (origin !== undefined && origin === publicOrigin)) return next()
    throw new ApiError('forbidden', 'only pages of this service can use accounts')
  }
}

const isOwnOrigin = ({ host }: Request, origin: string | undefined): boolean =>
  origin === undefined || URL.parse(origin)?.host === host
