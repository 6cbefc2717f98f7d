import { CoinstrataError } from '#base/errors.ts'

/** The address of an API without a slash at its end. Throws `invalid_configuration` where it is none. */
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
