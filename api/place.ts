import type { RequestListener } from 'node:http'
import { CoinstrataError } from '#base/errors.ts'

/** Where the service stands in the eyes of the world. */
export interface Place {
  /** Path below which everything is served; empty at the root of a host. */
  readonly basePath: string
  /** Address with that path, without a slash at the end; undefined where only each request tells. */
  readonly publicUrl: string | undefined
}

interface PlaceSettings {
  readonly BASE_PATH: string
  readonly PUBLIC_URL?: string | undefined
}

/** Throws `invalid_configuration` where the settings name two different paths. */
export function placeOf({ BASE_PATH, PUBLIC_URL }: PlaceSettings): Place {
  if (PUBLIC_URL === undefined) return { basePath: BASE_PATH, publicUrl: undefined }
  const path = new URL(PUBLIC_URL).pathname.replace(/\/+$/, '')
  if (BASE_PATH === '' || BASE_PATH === path) return { basePath: path, publicUrl: PUBLIC_URL }
  if (path === '') return { basePath: BASE_PATH, publicUrl: `${PUBLIC_URL}${BASE_PATH}` }
  throw new CoinstrataError('invalid_configuration', `BASE_PATH is ${BASE_PATH}, but PUBLIC_URL ends in ${path}`, {
    cure: 'set one of them, or both to the same path',
  })
}

/** Serves below a path; a proxy may have taken it off already. */
export function below(basePath: string, listener: RequestListener): RequestListener {
  if (basePath === '') return listener
  return (request, response) => {
    const url = request.url ?? ''
    const rest = url.startsWith(basePath) ? url.slice(basePath.length) : undefined
    if (rest === '' || rest?.startsWith('?')) {
      // What the page there refers to is found below the path only with the slash.
      response.writeHead(308, { Location: `${basePath}/${rest}` }).end()
      return
    }
    if (rest?.startsWith('/')) request.url = rest
    listener(request, response)
  }
}
