import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { ApiError } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import { pointInTime } from '#contract/parameters.ts'
import { isTooLargeForCsv } from '#contract/tables/csv-limit.ts'
import { tableNames } from '#contract/tables/tables.ts'
import type { Admission } from '#limits/admission.ts'
import { writeCsv } from '#query/encode-csv.ts'
import type { Generations } from '#query/generations.ts'
import { parsePart, readQuery } from '#query/parse-request.ts'
import { includesTier, insufficientTier, tableTier, View } from '#query/view.ts'
import { requireCall } from './calls.ts'
import { chooseEncoding, createCompressor } from './compression.ts'
import { countBytes, isNotModified, type Receiver, varyHeader } from './send-answer.ts'

const query = z.strictObject(pointInTime)
/** Of Parquet, on a slow machine. */
const csvBytesPerMs = 10_000
/** As those of other answers, which count as work. */
const csvBytesPerCell = 10

/** Sends a published table's file, whole or in ranges, or as CSV what the tier may see of it. */
export function serveTable(generations: Generations, admission: Admission): RequestHandler {
  return async (request, response) => {
    const at = parsePart(query, readQuery(request.originalUrl))
    const file = String(request.params.file)
    const name = tableNames.find((one) => `${one}.parquet` === file || `${one}.csv` === file)
    const { caller } = requireCall(request)
    await generations.read(async (published) => {
      const { generation, catalogue, fileOf } = published
      // A table was withdrawn while another was being sent.
      if (response.headersSent) return
      const table = name && generation.tables[name]
      if (!name || !table) {
        throw new ApiError('not_found', `there is no table '${file}': ${endpoints.tables.path} lists all`)
      }
      const needed = tableTier(name, catalogue)
      const headers = {
        'X-Generation': generation.id,
        'Cache-Control': `${caller.by === 'nothing' ? 'public' : 'private'}, no-cache`,
      }
      if (file.endsWith('.csv')) {
        if (isTooLargeForCsv(table)) {
          throw new ApiError('not_found', `${name} is too large for CSV: request ${name}.parquet`)
        }
        const work = admission.workFor(caller)
        const part = new View(published, caller.tier, work).part(name)
        if (!part) throw insufficientTier(`the table ${name}`, caller.tier, needed)
        const etag = `W/"${hash('sha256', table.sha256 + part.sql)}"`
        response.set({ ...headers, ETag: etag, Vary: varyHeader })
        if (isNotModified(request, etag)) return void response.status(304).end()
        work.beforeReading()
        const path = await admission.run(caller, table.bytes / csvBytesPerMs, () =>
          writeCsv(published.database, part.sql),
        )
        return sendCsv(path, { response, caller, admission })
      }
      if (!includesTier(caller.tier, needed)) throw insufficientTier(`the whole table ${name}`, caller.tier, needed)
      const path = fileOf(name)
      // Strong, so that clients never combine ranges of two files (If-Range).
      response.set({ ...headers, ETag: `"${table.sha256}"`, Vary: 'Authorization' })
      if (isNotModified(request, `W/"${table.sha256}"`)) return void response.status(304).end()
      response.set({
        'Content-Type': 'application/vnd.apache.parquet',
        'Content-Disposition': `attachment; filename="${file}"`,
      })
      // RFC 9110: a weak tag never allows to combine ranges, but the library compares only the text.
      if (request.get('If-Range')?.startsWith('W/')) delete request.headers.range
      await sendFile(request, response, path, table.bytes)
    }, at)
  }
}

/** Compressed while it is sent, and removed. */
async function sendCsv(file: string, receiver: Receiver): Promise<void> {
  const { response, caller, admission } = receiver
  const encoding = chooseEncoding(response.req.headers['accept-encoding'])
  response.set({ 'Content-Type': 'text/csv; charset=utf-8', ...(encoding && { 'Content-Encoding': encoding }) })
  try {
    const { size } = await stat(file)
    admission.workFor(caller).spend(size / csvBytesPerCell)
    countBytes(size, receiver)
    if (response.req.method === 'HEAD') response.end()
    else if (encoding) await pipeline(createReadStream(file), createCompressor[encoding](), response)
    else await pipeline(createReadStream(file), response)
  } finally {
    await rm(file, { force: true })
  }
}

function sendFile(request: Request, response: Response, file: string, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { dotfiles: 'allow', cacheControl: false, lastModified: false } as const
    response.sendFile(file, options, (error?: Error & { status?: number }) => {
      // The client disconnected.
      if (!error || response.headersSent || response.destroyed) return resolve()
      // The error is sent as JSON.
      response.removeHeader('Content-Type')
      if (error.status === 416) {
        response.set('Content-Range', `bytes */${bytes}`)
        const asked = String(request.headers.range)
        return reject(new ApiError('range_not_satisfiable', `the file has ${bytes} bytes, but Range asks for ${asked}`))
      }
      if (error.status === 412) {
        return reject(new ApiError('precondition_failed', 'the file is no longer the one that If-Match names'))
      }
      reject(error)
    })
  })
}
