import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32, deflateRaw, constants as zlib } from 'node:zlib'
import type { Meta } from '#contract/envelope.ts'
import type { Table } from '../table/columns.ts'
import { csvLines } from '../table/csv.ts'
import { jsonRows } from '../table/json.ts'

const compress = promisify(deflateRaw)

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

/** Joins pieces, with a break after each so that other requests are answered meanwhile. */
export async function joined(pieces: Generator<string>): Promise<Buffer> {
  const buffers: Buffer[] = []
  for (const piece of pieces) {
    if (buffers.length > 2) await setImmediate()
    buffers.push(Buffer.from(piece))
  }
  return Buffer.concat(buffers)
}

/** The compressed beginning of a body, to which an end can be added without compressing it again. */
export interface Compressed {
  readonly bytes: Buffer
  readonly plainLength: number
  readonly checksum: number
}

const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

export async function compressBeginning(beginning: Buffer): Promise<Compressed> {
  // A sync flush ends on a whole byte and leaves the stream open.
  const bytes = await compress(beginning, { level: 6, finishFlush: zlib.Z_SYNC_FLUSH })
  return {
    bytes: Buffer.concat([gzipHeader, bytes]),
    plainLength: beginning.length,
    checksum: crc32(beginning),
  }
}

/** The rest of a gzip stream: `end` as a last stored block, then checksum and length (RFC 1951 and 1952). */
export function gzipEnd({ plainLength, checksum }: Compressed, end: Buffer): Buffer {
  const rest = Buffer.alloc(5 + end.length + 8)
  rest[0] = 1
  rest.writeUInt16LE(end.length, 1)
  rest.writeUInt16LE(~end.length & 0xffff, 3)
  end.copy(rest, 5)
  rest.writeUInt32LE(crc32(end, checksum), 5 + end.length)
  rest.writeUInt32LE((plainLength + end.length) % 2 ** 32, 9 + end.length)
  return rest
}
