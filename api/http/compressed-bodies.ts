import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { chooseEncoding, compressBody, type Encoding, minCompressedBytes } from './compression.ts'

const cacheBytes = 64 * 2 ** 20

/** Compresses bodies and caches the most recent ones. */
export class CompressedBodies {
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: cacheBytes,
    sizeCalculation: (bytes) => bytes.length + 200,
  })

  /** A body in the encoding that the client prefers; `key` identifies its bytes. */
  async for(
    acceptEncoding: string | undefined,
    key: string,
    bytes: Buffer,
  ): Promise<{ encoding: Encoding | undefined; body: Buffer }> {
    const encoding = chooseEncoding(acceptEncoding)
    if (encoding === undefined || bytes.length < minCompressedBytes) return { encoding: undefined, body: bytes }
    const name = `${encoding} ${key}`
    const body = this.#cache.get(name) ?? (await compressBody(encoding, bytes))
    this.#cache.set(name, body)
    return { encoding, body }
  }

  async send(request: Request, response: Response, key: string, bytes: Buffer): Promise<void> {
    const { encoding, body } = await this.for(request.headers['accept-encoding'], key, bytes)
    response.vary('Accept-Encoding')
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
    response.send(body)
  }
}
