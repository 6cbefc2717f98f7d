import type { RequestListener } from 'node:http'
import type { LinkAddress } from '#accounts/commands.ts'
import { CoinstrataError } from '#base/errors.ts'
import { formatUrlHost } from '#base/socket-address.ts'

/** As users reach it. */
export interface ServiceAddress {
  /** Empty at the root of a host. */
  readonly basePath: string
  /** Includes the path, without a trailing slash; undefined if it depends on the request. */
  readonly publicUrl: string | undefined
}

interface AddressSettings {
  readonly BASE_PATH: string
  readonly PUBLIC_URL?: string | undefined
}

export function readServiceAddress({ BASE_PATH, PUBLIC_URL }: AddressSettings): ServiceAddress {
  if (PUBLIC_URL === undefined) return { basePath: BASE_PATH, publicUrl: undefined }
  const path = new URL(PUBLIC_URL).pathname.replace(/\/+$/, '')
  if (BASE_PATH === '' || BASE_PATH === path) return { basePath: path, publicUrl: PUBLIC_URL }
  if (path === '') return { basePath: BASE_PATH, publicUrl: `${PUBLIC_URL}${BASE_PATH}` }
  throw new CoinstrataError('invalid_configuration', `BASE_PATH is ${BASE_PATH}, but PUBLIC_URL ends in ${path}`, {
    cure: 'set one of them, or both to the same path',
  })
}

/** PUBLIC_URL, or the address at which the service listens. */
export function linkAddress(settings: AddressSettings & { readonly HOST: string; readonly PORT: number }): LinkAddress {
  const { basePath, publicUrl } = readServiceAddress(settings)
  if (publicUrl !== undefined) return { url: publicUrl, isConfigured: true }
  return { url: `http://${formatUrlHost(settings.HOST)}:${settings.PORT}${basePath}`, isConfigured: false }
}

/** Serves below a path, which a proxy may have removed. */
export function serveBelow(basePath: string, listener: RequestListener): RequestListener {
  if (basePath === '') return listener
  return (request, response) => {
    const url = request.url ?? ''
    const rest = url.startsWith(basePath) ? url.slice(basePath.length) : undefined
    if (rest === '' || rest?.startsWith('?')) {
      // Relative links resolve below the path only with the slash.
      response.writeHead(308, { Location: `${basePath}/${rest}` }).end()
      return
    }
    if (rest?.startsWith('/')) request.url = rest
    listener(request, response)
  }
}
