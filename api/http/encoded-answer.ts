import { promisify } from 'node:util'
import { brotliCompress, crc32, deflateRaw, constants as zlib, zstdCompress } from 'node:zlib'
import type { Meta } from '#contract/envelope.ts'
import type { Table } from '#query/table/columns.ts'
import { csvLines } from '#query/table/csv.ts'
import { jsonRows } from '#query/table/json.ts'
import type { Encoding } from './compressed.ts'

const [deflate, toBrotli, toZstd] = [promisify(deflateRaw), promisify(brotliCompress), promisify(zstdCompress)]

/** Everything of a JSON envelope but its end. */
function* jsonPieces(table: Table, meta: Meta): Generator<string> {
  yield '{"success":true,"data":['
  yield* jsonRows(table)
  yield `],"count":${table.rows},"meta":${JSON.stringify(meta)}`
}

/** The end of a body: of JSON the time of the answer. */
export const endOf = (format: 'json' | 'csv'): string =>
  format === 'json' ? `,"timestamp":"${new Date().toISOString()}"}` : ''

export const piecesOf = (format: 'json' | 'csv', table: Table, meta: Meta): Generator<string> =>
  format === 'json' ? jsonPieces(table, meta) : csvLines(table)

/** Joins pieces, with a pause after each so that other requests are answered meanwhile. */
export async function joined(pieces: Generator<string>, pause: () => Promise<void>): Promise<Buffer> {
  const buffers: Buffer[] = []
  for (const piece of pieces) {
    if (buffers.length > 2) await pause()
    buffers.push(Buffer.from(piece))
  }
  return Buffer.concat(buffers)
}

/** The compressed beginning of a body, to which an end can be added without compressing it again. */
export interface Compressed {
  readonly encoding: Encoding
  readonly bytes: Buffer
  readonly plainLength: number
  readonly checksum: number
}

/** Compresses up to a whole byte, and leaves the stream open. */
const compressors: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: (bytes) => toZstd(bytes, { params: { [zlib.ZSTD_c_compressionLevel]: 3 }, finishFlush: zlib.ZSTD_e_flush }),
  br: (bytes) =>
    toBrotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 }, finishFlush: zlib.BROTLI_OPERATION_FLUSH }),
  gzip: async (bytes) =>
    Buffer.concat([gzipHeader, await deflate(bytes, { level: 6, finishFlush: zlib.Z_SYNC_FLUSH })]),
}
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

export const compressBeginning = async (encoding: Encoding, beginning: Buffer): Promise<Compressed> => ({
  encoding,
  bytes: await compressors[encoding](beginning),
  plainLength: beginning.length,
  checksum: encoding === 'gzip' ? crc32(beginning) : 0,
})

/** The rest of a compressed stream, which holds `end`, shorter than 64 kB, as it is. */
export function compressedEnd(compressed: Compressed, end: Buffer): Buffer {
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
function gzipEnd({ plainLength, checksum }: Compressed, end: Buffer): Buffer {
  const rest = Buffer.alloc(5 + end.length + 8)
  rest[0] = 1
  rest.writeUInt16LE(end.length, 1)
  rest.writeUInt16LE(~end.length & 0xffff, 3)
  end.copy(rest, 5)
  rest.writeUInt32LE(crc32(end, checksum), 5 + end.length)
  rest.writeUInt32LE((plainLength + end.length) % 2 ** 32, 9 + end.length)
  return rest
}
