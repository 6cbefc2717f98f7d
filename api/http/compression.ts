import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  crc32,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  deflateRaw,
  constants as zlib,
  zstdCompress,
} from 'node:zlib'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { preferredType } from './preferred-type.ts'

/** In order of preference. Higher levels take three times as long and save a tenth of the bytes. */
const options = {
  zstd: { params: { [zlib.ZSTD_c_compressionLevel]: 3 } },
  br: { params: { [zlib.BROTLI_PARAM_QUALITY]: 3 } },
  gzip: { level: 4 },
}
export type Encoding = keyof typeof options
const encodings = ['zstd', 'br', 'gzip', 'identity'] as const

export const minCompressedBytes = 1_024

/** Undefined for none. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  const best = acceptEncoding === undefined ? undefined : preferredType(acceptEncoding, encodings)
  return best === 'identity' ? undefined : best
}

/** For bodies encoded while they are sent. */
export const createCompressor: Readonly<Record<Encoding, () => Transform>> = {
  zstd: () => createZstdCompress(options.zstd),
  br: () => createBrotliCompress(options.br),
  gzip: () => createGzip(options.gzip),
}

/** A compressed beginning of a body, to which an end can be added. */
export interface CompressedBeginning {
  readonly encoding: Encoding
  readonly bytes: Buffer
  readonly plainLength: number
  readonly checksum: number
}

const [deflate, toBrotli, toZstd] = [promisify(deflateRaw), promisify(brotliCompress), promisify(zstdCompress)]
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** Compress to a byte boundary and leave the stream open. */
const compressOpen: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: (bytes) => toZstd(bytes, { ...options.zstd, finishFlush: zlib.ZSTD_e_flush }),
  br: (bytes) => toBrotli(bytes, { ...options.br, finishFlush: zlib.BROTLI_OPERATION_FLUSH }),
  gzip: async (bytes) =>
    Buffer.concat([gzipHeader, await deflate(bytes, { ...options.gzip, finishFlush: zlib.Z_SYNC_FLUSH })]),
}

export const compressBeginning = async (encoding: Encoding, beginning: Buffer): Promise<CompressedBeginning> => ({
  encoding,
  bytes: await compressOpen[encoding](beginning),
  plainLength: beginning.length,
  checksum: encoding === 'gzip' ? crc32(beginning) : 0,
})

async function compressBody(encoding: Encoding, body: Buffer): Promise<Buffer> {
  const compressed = await compressBeginning(encoding, body)
  return Buffer.concat([compressed.bytes, compressedEnd(compressed, Buffer.alloc(0))])
}

/** Returns the rest of a stream; `end`, at most 64 kB, is stored uncompressed. */
export function compressedEnd(compressed: CompressedBeginning, end: Buffer): Buffer {
  switch (compressed.encoding) {
    case 'zstd':
      // A last block of type raw (RFC 8878, 3.1.1.2).
      return Buffer.concat([bits24(1 | (end.length << 3)), end])
    case 'br':
      // An uncompressed meta-block, then an empty last one (RFC 7932, 9.2).
      return end.length === 0
        ? Buffer.of(3)
        : Buffer.concat([bits24(((end.length - 1) << 3) | (1 << 19)), end, Buffer.of(3)])
    case 'gzip':
      return gzipEnd(compressed, end)
  }
}

function bits24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}

/** `end` as a last stored block, then checksum and length (RFC 1951 and 1952). */
function gzipEnd({ plainLength, checksum }: CompressedBeginning, end: Buffer): Buffer {
  const rest = Buffer.alloc(5 + end.length + 8)
  rest[0] = 1
  rest.writeUInt16LE(end.length, 1)
  rest.writeUInt16LE(~end.length & 0xffff, 3)
  end.copy(rest, 5)
  rest.writeUInt32LE(crc32(end, checksum), 5 + end.length)
  rest.writeUInt32LE((plainLength + end.length) % 2 ** 32, 9 + end.length)
  return rest
}

const cacheBytes = 64 * 2 ** 20

/** Options of caches whose entries are dropped once nobody asks for them. */
export const untilUnused = { ttl: 30_000, ttlAutopurge: true, updateAgeOnGet: true } as const

/** Compresses bodies and caches the most recent ones. */
export class CompressedBodies {
  readonly #cache = new LRUCache<string, Buffer>({
    ...untilUnused,
    maxSize: cacheBytes,
    sizeCalculation: (bytes) => bytes.length + 200,
  })

  /** `key` identifies the bytes. */
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
