import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib, zstdCompress } from 'node:zlib'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { preferred } from './preferred.ts'

const [toGzip, toBrotli, toZstd] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)]

/**
 * In the order in which they are chosen where a client likes several the same. Most bodies are sent once or twice, so the
 * levels are those that take a third of the time of the next ones and leave a tenth more bytes.
 */
const encoders = {
  zstd: (bytes: Buffer) => toZstd(bytes, { params: { [zlib.ZSTD_c_compressionLevel]: 3 } }),
  br: (bytes: Buffer) => toBrotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (bytes: Buffer) => toGzip(bytes, { level: 4 }),
}
export type Encoding = keyof typeof encoders
const encodings = ['zstd', 'br', 'gzip', 'identity'] as const

/** The encoding that a client likes best; undefined for none. */
export function encodingOf(acceptEncoding: string | undefined): Encoding | undefined {
  const best = acceptEncoding === undefined ? undefined : preferred(acceptEncoding, encodings)
  return best === 'identity' ? undefined : best
}

/** Below this, bodies are sent as they are. */
export const leastCompressedBytes = 1_024
const keptBytes = 64 * 2 ** 20

/** Compresses bodies, and keeps the newest ones. */
export class CompressedBodies {
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: (bytes) => bytes.length + 200 })

  /** A body as a client takes it; `key` decides its bytes. */
  async for(
    acceptEncoding: string | undefined,
    key: string,
    bytes: Buffer,
  ): Promise<{ encoding: Encoding | undefined; body: Buffer }> {
    const encoding = encodingOf(acceptEncoding)
    if (encoding === undefined || bytes.length < leastCompressedBytes) return { encoding: undefined, body: bytes }
    const name = `${encoding} ${key}`
    const body = this.#kept.get(name) ?? (await encoders[encoding](bytes))
    this.#kept.set(name, body)
    return { encoding, body }
  }

  /** Sends a body as the client takes it. */
  async send(request: Request, response: Response, key: string, bytes: Buffer): Promise<void> {
    const { encoding, body } = await this.for(request.headers['accept-encoding'], key, bytes)
    response.vary('Accept-Encoding')
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
    response.send(body)
  }
}
