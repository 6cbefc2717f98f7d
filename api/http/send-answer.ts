import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { freeMemory } from '#base/free-memory.ts'
import type { Caller } from '#contract/caller.ts'
import { sharedCaching, sharedCachingOfScripts } from '#contract/shared-caching.ts'
import type { Admission } from '#limits/admission.ts'
import { writeTable } from '#query/encode-parquet.ts'
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
export interface Receiver {
  readonly response: Response
  readonly caller: Caller
  readonly admission: Admission
}

/** Resolves when the answer was sent or broken off. */
type Send = () => void | Promise<void>

/**
 * Does all work of an answer, or finds that the client has it (304). Sending only waits for the
 * client; until then the bytes count as unread.
 */
export async function prepareAnswer(answer: DataAnswer, receiver: Receiver): Promise<Send> {
  const { response, caller } = receiver
  const { headers } = response.req
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  response.setHeader('Vary', varyHeader)
  if (caller.by === 'nothing' && !caller.isUnlimited) {
    const isOfScript = headers['sec-fetch-dest'] === 'empty'
    response.setHeader('Cache-Control', isOfScript ? sharedCachingOfScripts : sharedCaching)
    removeLimitHeaders(response)
  } else {
    // Browsers must revalidate: a newer generation may be current. Shared caches may store what
    // depends on no key.
    response.setHeader('Cache-Control', `${caller.by === 'nothing' ? 'public' : 'private'}, no-cache`)
  }
  if (isNotModified(response.req, answer.headers.ETag)) {
    response.removeHeader('Content-Type')
    response.removeHeader('Content-Disposition')
    return () => void response.writeHead(304).end()
  }
  const encoding = chooseEncoding(headers['accept-encoding'])
  if (answer.kind === 'encoded') return prepareEncoded(answer, encoding, receiver)
  if (answer.format === 'parquet') return prepareParquet(answer, receiver)
  return preparePieces(answer, answer.format, encoding, receiver)
}

/** Counts bytes as unread until the answer ends. */
export function countBytes(bytes: number, { response, caller, admission }: Receiver): void {
  if (bytes < smallBytes || response.destroyed) return
  response.once('close', admission.send(caller, bytes))
}

export function isNotModified(request: Request, etag: string | undefined): boolean {
  const known = request.headers['if-none-match']
  if (known === undefined || etag === undefined) return false
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === etag)
}

async function prepareEncoded(
  { beginning, compressed, format }: EncodedAnswer,
  encoding: Encoding | undefined,
  receiver: Receiver,
): Promise<Send> {
  const { response } = receiver
  const end = Buffer.from(answerEnd(format))
  if (encoding === undefined || beginning.length < minCompressedBytes) {
    countBytes(beginning.length, receiver)
    return () => sendBytes(response, beginning, end)
  }
  compressed[encoding] ??= compressBeginning(encoding, beginning)
  const begun = await compressed[encoding]
  response.setHeader('Content-Encoding', encoding)
  countBytes(begun.bytes.length, receiver)
  return () => sendBytes(response, begun.bytes, compressedEnd(begun, end))
}

function sendBytes(response: Response, beginning: Buffer, end: Buffer): void {
  response.setHeader('Content-Length', beginning.length + end.length)
  // As latin1 text (one character per byte), headers and body go out in one write.
  if (beginning.length < maxCopiedBytes)
    return void response.end(beginning.toString('latin1') + end.toString('latin1'), 'latin1')
  response.write(beginning)
  response.end(end)
}

function preparePieces(
  answer: TableAnswer,
  format: 'json' | 'csv',
  encoding: Encoding | undefined,
  receiver: Receiver,
): Send {
  const { response, caller, admission } = receiver
  const { table } = answer
  async function* pieces() {
    yield* answerPieces(format, answer, admission.workFor(caller))
    yield Buffer.from(answerEnd(format))
  }
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
  if (response.req.method === 'HEAD') return () => void response.end()
  countBytes(table.rows * table.columns.length * bytesPerCell, receiver)
  return async () => {
    if (encoding === undefined) return writePieces(pieces(), response)
    if (response.destroyed) return
    const compressor = createCompressor[encoding]()
    await Promise.all([writePieces(pieces(), compressor), pipeline(compressor, response)])
  }
}

/**
 * Writes one piece while the next is made, and frees each at once: large arrays waiting for the
 * garbage collector make it stop the event loop several times a second.
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

async function prepareParquet({ table, published, endpoint }: TableAnswer, receiver: Receiver): Promise<Send> {
  const { response, caller, admission } = receiver
  const file = await writeTable(published.database, table, endpoint, admission.workFor(caller))
  const { size } = await stat(file)
  response.setHeader('Content-Length', size)
  countBytes(size, receiver)
  return async () => {
    try {
      if (response.req.method === 'HEAD') response.end()
      // `pipeline` to a closed response would leave the file open, and an error that it throws later
      // ends the process.
      else if (!response.destroyed) await pipeline(createReadStream(file), response)
    } finally {
      await rm(file, { force: true })
    }
  }
}
