import type { Endpoints } from './endpoints.ts'

/** With `{name}` for parameters. */
export type Path = keyof Endpoints

export type Parameters<P extends Path> = Endpoints[P]['parameters']

export type Query<P extends Path> = { readonly [Name in keyof Parameters<P>]?: Parameters<P>[Name] | undefined }

/** Relative to the service; undefined parameters are left out. */
export const requestAddress = <P extends Path>(path: P, parameters: Query<P> = {}): string =>
  writeAddress(path, parameters)

/** As `requestAddress`, for any path. */
export function writeAddress(path: string, parameters: object): string {
  const given = new Map(Object.entries(parameters))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name)
    given.delete(name)
    return encodeURIComponent(String(value ?? ''))
  })
  const query = new URLSearchParams()
  for (const [name, value] of given) if (value !== undefined) query.set(name, String(value))
  return query.size > 0 ? `${filled}?${query}` : filled
}
