import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { freeMemory } from '#base/free-memory.ts'
import { ownTurn } from '#base/own-turn.ts'
import type { Caller } from '#contract/caller.ts'
import { sharedCaching, sharedCachingOfScripts } from '#contract/shared-caching.ts'
import type { Admission } from '#limits/admission.ts'
import { writeTable } from '#query/table/parquet.ts'
import { answerEnd, answerPieces, type DataAnswer, type EncodedAnswer, type TableAnswer } from './answer-cache.ts'
import {
  chooseEncoding,
  compressBeginning,
  compressedEnd,
  createCompressor,
  type Encoding,
  minCompressedBytes,
} from './compression.ts'
import { removeLimitHeaders } from './limit-headers.ts'

/** Request headers on which answers depend. */
export const varyHeader = 'Authorization, X-API-Key, Cookie, Accept, Accept-Encoding'

/** Below this size, copying is cheaper than a second write. */
const maxCopiedBytes = 16_384

/** Smaller answers do not count as unread. */
export const smallBytes = 65_536
const bytesPerCell = 8
/** Copying more to a socket would take milliseconds. */
const bytesPerWrite = 524_288

/** Resolves when the answer has been sent or broken off. */
type Send = () => void | Promise<void>

/**
 * Does all work of an answer, or finds that the client already has it (304). Sending only waits for
 * the client, and the bytes count as unread until it ends.
 */
export async function prepareAnswer(
  request: Request,
  response: Response,
  answer: DataAnswer,
  caller: Caller,
  admission: Admission,
): Promise<Send> {
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  response.setHeader('Vary', varyHeader)
  if (caller.by === 'nothing' && !caller.isUnlimited) {
    const isOfScript = request.headers['sec-fetch-dest'] === 'empty'
    response.setHeader('Cache-Control', isOfScript ? sharedCachingOfScripts : sharedCaching)
    removeLimitHeaders(response)
  } else {
    // Browsers must revalidate, since a newer generation may be current. Shared caches may store
    // what depends on no key.
    response.setHeader('Cache-Control', `${caller.by === 'nothing' ? 'public' : 'private'}, no-cache`)
  }
  if (isNotModified(request, answer.headers.ETag)) {
    response.removeHeader('Content-Type')
    response.removeHeader('Content-Disposition')
    return () => void response.writeHead(304).end()
  }
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (answer.kind === 'encoded') return prepareEncoded(response, answer, encoding, caller, admission)
  if (answer.format === 'parquet') return prepareParquet(request, response, answer, caller, admission)
  return preparePieces(request, response, answer, answer.format, encoding, caller, admission)
}

/** Counts bytes as unread until the answer ends. */
export function countBytes(response: Response, bytes: number, caller: Caller, admission: Admission): void {
  if (bytes < smallBytes || response.destroyed) return
  response.once('close', admission.send(caller, bytes))
}

export function isNotModified(request: Request, etag: string | undefined): boolean {
  const known = request.headers['if-none-match']
  if (known === undefined || etag === undefined) return false
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === etag)
}

async function prepareEncoded(
  response: Response,
  answer: EncodedAnswer,
  encoding: Encoding | undefined,
  caller: Caller,
  admission: Admission,
): Promise<Send> {
  const { beginning } = answer
  const end = Buffer.from(answerEnd(answer.format))
  if (encoding === undefined || beginning.length < minCompressedBytes) {
    countBytes(response, beginning.length, caller, admission)
    return () => sendBytes(response, beginning, end)
  }
  answer.compressed[encoding] ??= compressBeginning(encoding, beginning)
  const compressed = await answer.compressed[encoding]
  const rest = compressedEnd(compressed, end)
  response.setHeader('Content-Encoding', encoding)
  countBytes(response, compressed.bytes.length, caller, admission)
  return () => sendBytes(response, compressed.bytes, rest)
}

async function sendBytes(response: Response, beginning: Buffer, end: Buffer): Promise<void> {
  response.setHeader('Content-Length', beginning.length + end.length)
  // As latin1 text (one character per byte), headers and body go out in one write.
  if (beginning.length < maxCopiedBytes)
    return void response.end(beginning.toString('latin1') + end.toString('latin1'), 'latin1')
  for (let from = 0; from < beginning.length; from += bytesPerWrite) {
    if (from > 0) await ownTurn()
    response.write(beginning.subarray(from, from + bytesPerWrite))
  }
  response.end(end)
}

function preparePieces(
  request: Request,
  response: Response,
  { table, meta }: TableAnswer,
  format: 'json' | 'csv',
  encoding: Encoding | undefined,
  caller: Caller,
  admission: Admission,
): Send {
  async function* pieces() {
    yield* answerPieces(format, table, meta, admission.workFor(caller))
    yield Buffer.from(answerEnd(format))
  }
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
  if (request.method === 'HEAD') return () => void response.end()
  countBytes(response, table.rows * table.columns.length * bytesPerCell, caller, admission)
  return async () => {
    if (encoding === undefined) return writePieces(pieces(), response)
    const compressor = createCompressor[encoding]()
    await Promise.all([writePieces(pieces(), compressor), pipeline(compressor, response)])
  }
}

/**
 * Writes one piece while the next is made. Frees each piece when it is written: large arrays that
 * wait for the garbage collector make it stop the event loop several times a second.
 */
async function writePieces(pieces: AsyncIterable<Uint8Array>, target: Writable): Promise<void> {
  const ended = finished(target, { readable: false })
  // Awaited below.
  ended.catch(() => undefined)
  const write = (piece: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      target.write(piece, () => {
        freeMemory(piece)
        resolve()
      })
    })
  try {
    let written = Promise.resolve()
    for await (const piece of pieces) {
      await Promise.race([written, ended])
      written = write(piece)
    }
    target.end()
    await ended
  } catch (error) {
    target.destroy()
    throw error
  }
}

async function prepareParquet(
  request: Request,
  response: Response,
  { table, published, endpoint }: TableAnswer,
  caller: Caller,
  admission: Admission,
): Promise<Send> {
  const file = await writeTable(published.database, table, endpoint)
  const { size } = await stat(file)
  response.setHeader('Content-Length', size)
  countBytes(response, size, caller, admission)
  return async () => {
    try {
      if (request.method === 'HEAD') response.end()
      else await pipeline(createReadStream(file), response)
    } finally {
      await rm(file, { force: true })
    }
  }
}
