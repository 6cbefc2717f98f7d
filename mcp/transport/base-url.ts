import { CoinstrataError } from '#base/errors.ts'

/** Removes a trailing slash. Throws `invalid_configuration` for an invalid address of an API. */
export function parseBaseUrl(text: string, setting: string): string {
  const url = URL.parse(text)
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isHttp || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new CoinstrataError('invalid_configuration', `${setting} is not an address of an API: '${text}'`, {
      cure: `set ${setting} to an address such as http://127.0.0.1:3000, without /v1, key or query`,
    })
  }
  return url.href.replace(/\/+$/, '')
}
