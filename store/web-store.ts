import { Readable } from 'node:stream'
import { fetchWithinOrigin } from '#base/bounded-fetch.ts'
import { responseTimeout, storeFailed } from './failures.ts'
import type { ObjectStore, ReadOptions, StoredObject } from './object-store.ts'

/** Read-only store on a web server, such as a public mirror. */
export class WebStore implements ObjectStore {
  readonly name: string
  readonly address: string

  constructor(address: string) {
    this.name = address
    this.address = address.replace(/\/$/, '')
  }

  async read(key: string, { known, from = 0 }: ReadOptions = {}): Promise<StoredObject | 'unchanged' | undefined> {
    using timeout = responseTimeout()
    try {
      const response = await fetchWithinOrigin(`${this.address}/${key}`, {
        headers: {
          ...(known !== undefined && { 'if-none-match': known }),
          ...(from > 0 && { range: `bytes=${from}-` }),
          'accept-encoding': 'identity',
        },
        signal: timeout.signal,
      })
      if (!response.ok) await response.body?.cancel()
      if (response.status === 304) return 'unchanged'
      if (response.status === 404) return undefined
      // The object is shorter than the caller's part.
      if (response.status === 416 && from > 0) return await this.read(key)
      if (!response.ok || !response.body) throw new Error(`${key} was answered with ${response.status}`)
      return {
        etag: response.headers.get('etag') ?? '',
        from: response.status === 206 ? from : 0,
        body: Readable.from(response.body, { objectMode: false }),
      }
    } catch (error) {
      // The TypeErrors of fetch have their reason as cause.
      throw storeFailed(this.name, error instanceof TypeError && error.cause ? error.cause : error)
    }
  }

  readonly #refuse = (): Promise<never> => {
    const cure = 'publish to s3://bucket/prefix or file:///folder'
    return Promise.reject(storeFailed(this.name, 'a store on a web server is read-only', cure))
  }
  readonly describe = this.#refuse
  readonly list = this.#refuse
  readonly write = this.#refuse
  readonly remove = this.#refuse
}
