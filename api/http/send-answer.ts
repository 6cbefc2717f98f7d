import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createBrotliCompress, createGzip, createZstdCompress, constants as zlib } from 'node:zlib'
import type { Request, Response } from 'express'
import { notesOfAnswer } from '../table/notes.ts'
import { writeTable } from '../table/parquet.ts'
import type { DataAnswer, EncodedAnswer, TableAnswer } from './answer-store.ts'
import { type Encoding, encodingOf, leastCompressedBytes } from './compressed.ts'
import { compressBeginning, compressedEnd, endOf, piecesOf } from './encoded-answer.ts'

/** The headers of requests on which answers depend. */
export const varying = 'Authorization, X-API-Key, Accept, Accept-Encoding'

/** Below this, copying is cheaper than writing twice. */
const copiedBytes = 65_536

/** Sends an answer, or 304 where the client has it already. `isPrivate` keeps it out of shared caches. */
export async function sendAnswer(
  request: Request,
  response: Response,
  answer: DataAnswer,
  isPrivate: boolean,
): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  response.setHeader('Vary', varying)
  // A cache may keep it, but asks each time whether there is a newer generation.
  response.setHeader('Cache-Control', `${isPrivate ? 'private' : 'public'}, no-cache`)
  if (hasAlready(request, answer.headers.ETag)) {
    response.removeHeader('Content-Type')
    response.removeHeader('Content-Disposition')
    response.writeHead(304).end()
    return
  }
  const encoding = encodingOf(request.headers['accept-encoding'])
  if (answer.kind === 'encoded') await sendEncoded(response, answer, encoding)
  else if (answer.format === 'parquet') await sendParquet(request, response, answer)
  else await sendPieces(request, response, answer, answer.format, encoding)
}

/** Whether a client holds what it asks for. */
export function hasAlready(request: Request, etag: string | undefined): boolean {
  const known = request.headers['if-none-match']
  if (known === undefined || etag === undefined) return false
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === etag)
}

async function sendEncoded(response: Response, answer: EncodedAnswer, encoding: Encoding | undefined): Promise<void> {
  const { beginning } = answer
  const end = Buffer.from(endOf(answer.format))
  if (encoding === undefined || beginning.length < leastCompressedBytes) {
    sendBytes(response, beginning, end)
    return
  }
  answer.compressed[encoding] ??= compressBeginning(encoding, beginning)
  const compressed = await answer.compressed[encoding]
  const rest = compressedEnd(compressed, end)
  response.setHeader('Content-Encoding', encoding)
  sendBytes(response, compressed.bytes, rest)
}

function sendBytes(response: Response, beginning: Buffer, end: Buffer): void {
  response.setHeader('Content-Length', beginning.length + end.length)
  if (beginning.length < copiedBytes) return void response.end(Buffer.concat([beginning, end]))
  response.write(beginning)
  response.end(end)
}

const compressors = {
  zstd: () => createZstdCompress({ params: { [zlib.ZSTD_c_compressionLevel]: 3 } }),
  br: () => createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
}

async function sendPieces(
  request: Request,
  response: Response,
  { table, meta }: TableAnswer,
  format: 'json' | 'csv',
  encoding: Encoding | undefined,
): Promise<void> {
  async function* pieces() {
    for (const piece of piecesOf(format, table, meta)) {
      await setImmediate()
      yield piece
    }
    yield endOf(format)
  }
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
  if (request.method === 'HEAD') response.end()
  else if (encoding !== undefined) await pipeline(Readable.from(pieces()), compressors[encoding](), response)
  else await pipeline(Readable.from(pieces()), response)
}

async function sendParquet(
  request: Request,
  response: Response,
  { table, published, endpoint }: TableAnswer,
): Promise<void> {
  const file = await writeTable(published.database, table, notesOfAnswer(endpoint, table.columns))
  try {
    response.setHeader('Content-Length', (await stat(file)).size)
    if (request.method === 'HEAD') response.end()
    else await pipeline(createReadStream(file), response)
  } finally {
    await rm(file, { force: true })
  }
}
