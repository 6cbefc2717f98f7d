import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliCompress, createGzip, createZstdCompress, constants as zlib } from 'node:zlib'
import type { Request, Response } from 'express'
import type { Caller } from '#contract/caller.ts'
import type { Work } from '#limits/work.ts'
import { notesOfAnswer } from '#query/table/notes.ts'
import { writeTable } from '#query/table/parquet.ts'
import type { DataAnswer, EncodedAnswer, TableAnswer } from './answer-store.ts'
import { type Encoding, encodingOf, leastCompressedBytes } from './compressed.ts'
import { compressBeginning, compressedEnd, endOf, piecesOf } from './encoded-answer.ts'

/** The headers of requests on which answers depend. */
export const varying = 'Authorization, X-API-Key, Accept, Accept-Encoding'

/** Below this, copying is cheaper than writing twice. */
const copiedBytes = 16_384

/** What is smaller is on its way before it could be held up. */
export const smallBytes = 65_536
const bytesPerCell = 8

/** Sends what was made ready for it; resolves when it has been handed over, or is broken off. */
type Send = () => void | Promise<void>

/**
 * Makes an answer ready to be sent, or 304 where the client has it already: what takes work is done before it returns,
 * and what waits for the client after. The bytes count as the caller's until they are sent.
 */
export async function readyAnswer(
  request: Request,
  response: Response,
  answer: DataAnswer,
  caller: Caller,
  work: Work,
): Promise<Send> {
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  response.setHeader('Vary', varying)
  // A cache may keep it, but asks each time whether there is a newer generation; a shared one not what a key decides.
  response.setHeader('Cache-Control', `${caller.by === 'nothing' ? 'public' : 'private'}, no-cache`)
  if (hasAlready(request, answer.headers.ETag)) {
    response.removeHeader('Content-Type')
    response.removeHeader('Content-Disposition')
    return () => void response.writeHead(304).end()
  }
  const encoding = encodingOf(request.headers['accept-encoding'])
  if (answer.kind === 'encoded') return readyEncoded(response, answer, encoding, caller, work)
  if (answer.format === 'parquet') return readyParquet(request, response, answer, caller, work)
  return readyPieces(request, response, answer, answer.format, encoding, caller, work)
}

/** Counts bytes as the caller's until an answer is sent or broken off. */
export function countBytes(response: Response, bytes: number, caller: Caller, work: Work): void {
  if (bytes < smallBytes || response.destroyed) return
  response.once('close', work.send(caller, bytes))
}

/** Whether a client holds what it asks for. */
export function hasAlready(request: Request, etag: string | undefined): boolean {
  const known = request.headers['if-none-match']
  if (known === undefined || etag === undefined) return false
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === etag)
}

async function readyEncoded(
  response: Response,
  answer: EncodedAnswer,
  encoding: Encoding | undefined,
  caller: Caller,
  work: Work,
): Promise<Send> {
  const { beginning } = answer
  const end = Buffer.from(endOf(answer.format))
  if (encoding === undefined || beginning.length < leastCompressedBytes) {
    countBytes(response, beginning.length, caller, work)
    return () => sendBytes(response, beginning, end)
  }
  answer.compressed[encoding] ??= compressBeginning(encoding, beginning)
  const compressed = await answer.compressed[encoding]
  const rest = compressedEnd(compressed, end)
  response.setHeader('Content-Encoding', encoding)
  countBytes(response, compressed.bytes.length, caller, work)
  return () => sendBytes(response, compressed.bytes, rest)
}

function sendBytes(response: Response, beginning: Buffer, end: Buffer): void {
  response.setHeader('Content-Length', beginning.length + end.length)
  // As text of one character a byte it goes out in one write with the headers.
  if (beginning.length < copiedBytes)
    return void response.end(beginning.toString('latin1') + end.toString('latin1'), 'latin1')
  response.write(beginning)
  response.end(end)
}

const compressors = {
  zstd: () => createZstdCompress({ params: { [zlib.ZSTD_c_compressionLevel]: 3 } }),
  br: () => createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip(),
}

function readyPieces(
  request: Request,
  response: Response,
  { table, meta }: TableAnswer,
  format: 'json' | 'csv',
  encoding: Encoding | undefined,
  caller: Caller,
  work: Work,
): Send {
  async function* pieces() {
    const rest = piecesOf(format, table, meta)
    for (;;) {
      // Each piece is made when it is its turn, not when the client has taken the one before.
      await work.pause(caller)
      const { done, value } = rest.next()
      if (done) break
      yield Buffer.from(value)
    }
    yield Buffer.from(endOf(format))
  }
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
  if (request.method === 'HEAD') return () => void response.end()
  countBytes(response, table.rows * table.columns.length * bytesPerCell, caller, work)
  return () =>
    encoding === undefined
      ? pipeline(Readable.from(pieces()), response)
      : pipeline(Readable.from(pieces()), compressors[encoding](), response)
}

async function readyParquet(
  request: Request,
  response: Response,
  { table, published, endpoint }: TableAnswer,
  caller: Caller,
  work: Work,
): Promise<Send> {
  const file = await writeTable(published.database, table, notesOfAnswer(endpoint, table.columns))
  const { size } = await stat(file)
  response.setHeader('Content-Length', size)
  countBytes(response, size, caller, work)
  return async () => {
    try {
      if (request.method === 'HEAD') response.end()
      else await pipeline(createReadStream(file), response)
    } finally {
      await rm(file, { force: true })
    }
  }
}
