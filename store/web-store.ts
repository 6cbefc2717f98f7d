import { Readable } from 'node:stream'
import { storeFailed } from './failures.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'

const responseTimeoutMs = 30_000

/** A read-only store on a web server, such as a public mirror. */
export class WebStore implements ObjectStore {
  readonly name: string
  readonly address: string

  constructor(address: string) {
    this.name = address
    this.address = address.replace(/\/$/, '')
  }

  async read(key: string, known?: string): Promise<StoredObject | 'unchanged' | undefined> {
    const controller = new AbortController()
    const timer = setTimeout(
      () => controller.abort(new Error(`no answer within ${responseTimeoutMs / 1000} s`)),
      responseTimeoutMs,
    )
    try {
      const response = await fetch(`${this.address}/${key}`, {
        headers: { ...(known !== undefined && { 'if-none-match': known }), 'accept-encoding': 'identity' },
        signal: controller.signal,
      })
      if (response.status === 304 || response.status === 404 || !response.ok) await response.body?.cancel()
      if (response.status === 304) return 'unchanged'
      if (response.status === 404) return undefined
      if (!response.ok || !response.body) throw new Error(`${key} was answered with ${response.status}`)
      return { etag: response.headers.get('etag') ?? '', body: Readable.from(response.body, { objectMode: false }) }
    } catch (error) {
      // The TypeErrors of fetch have the reason as their cause.
      throw storeFailed(this.name, error instanceof TypeError && error.cause ? error.cause : error)
    } finally {
      clearTimeout(timer)
    }
  }

  write(): Promise<never> {
    return Promise.reject(this.#readOnly())
  }

  remove(): Promise<never> {
    return Promise.reject(this.#readOnly())
  }

  #readOnly = () =>
    storeFailed(this.name, 'a store on a web server is read-only', 'publish to s3://bucket/prefix or file:///folder')
}
