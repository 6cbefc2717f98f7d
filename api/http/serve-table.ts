import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { ApiError } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import { pointInTime } from '#contract/parameters.ts'
import { tableNames } from '#contract/tables/tables.ts'
import type { Admission } from '#limits/admission.ts'
import type { Generations } from '#query/generations.ts'
import { parsePart, readQuery } from '#query/parse-request.ts'
import { includesTier, insufficientTier, tableTier, View } from '#query/view.ts'
import { requireCall } from './calls.ts'
import { isNotModified } from './send-answer.ts'

const query = z.strictObject(pointInTime)

/** Bytes of Parquet, on a slow machine. */
const csvBytesPerMs = 10_000
/** More take minutes to write, and no browser would hold them. */
const maxCsvRows = 600_000

/** Sends a published table's file, whole or in ranges, or what the tier may see of it as CSV. */
export function serveTable(generations: Generations, admission: Admission): RequestHandler {
  return async (request, response) => {
    const at = parsePart(query, readQuery(request.originalUrl))
    const file = String(request.params.file)
    const isCsv = file.endsWith('.csv.gz')
    const name = tableNames.find((one) => `${one}.${isCsv ? 'csv.gz' : 'parquet'}` === file)
    const { caller } = requireCall(request)
    await generations.read(async (published) => {
      const { generation, catalogue, fileOf } = published
      // A table was withdrawn while another was being sent.
      if (response.headersSent) return
      const table = name && generation.tables[name]
      if (!name || !table || (isCsv && table.rows > maxCsvRows)) {
        throw new ApiError(
          'not_found',
          `there is no table '${file}': ${endpoints.tables.path} lists all (CSV to 600,000 rows)`,
        )
      }
      const needed = tableTier(name, catalogue)
      const part = isCsv ? new View(published, caller.tier).part(name) : undefined
      const isSeen = isCsv ? part !== undefined : includesTier(caller.tier, needed)
      if (!isSeen) throw insufficientTier(`the whole table ${name}`, caller.tier, needed)
      const path = fileOf(name)
      const version = part ? hash('sha256', table.sha256 + part) : table.sha256
      response.set({
        // Strong, so that clients never combine ranges of two files (If-Range).
        ETag: `"${version}"`,
        'X-Generation': generation.id,
        'Cache-Control': `${caller.by === 'nothing' ? 'public' : 'private'}, no-cache`,
        Vary: 'Authorization',
      })
      if (isNotModified(request, `W/"${version}"`)) return void response.status(304).end()
      response.set({
        'Content-Type': isCsv ? 'application/gzip' : 'application/vnd.apache.parquet',
        'Content-Disposition': `attachment; filename="${file}"`,
      })
      // RFC 9110: a weak tag never allows to combine ranges, but the library compares only the text.
      if (part || request.get('If-Range')?.startsWith('W/')) delete request.headers.range
      if (!part) return sendFile(request, response, path, table.bytes)
      if (request.method === 'HEAD') return void response.end()
      admission.workFor(caller).beforeReading()
      const csv = await admission.run(caller, table.bytes / csvBytesPerMs, () => published.writeCsv(part))
      // A value takes about four bytes of Parquet.
      admission.workFor(caller).spend(table.bytes / 4)
      await sendFile(request, response, csv, table.bytes).finally(() => rm(csv, { force: true }))
    }, at)
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
