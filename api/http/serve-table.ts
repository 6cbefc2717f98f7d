import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { ApiError } from '#contract/api-error.ts'
import { endpoints } from '#contract/endpoints.ts'
import { pointInTime } from '#contract/parameters.ts'
import { tableNames } from '#contract/tables/tables.ts'
import type { Generations } from '#query/generations.ts'
import { parsePart, readQuery } from '#query/parse-request.ts'
import { includesTier, insufficientTier, tableTier } from '#query/view.ts'
import { requireCall } from './calls.ts'
import { isNotModified } from './send-answer.ts'

const query = z.strictObject(pointInTime)

/** Sends a published table's file, whole or in ranges. */
export function serveTable(generations: Generations): RequestHandler {
  return async (request, response) => {
    const at = parsePart(query, readQuery(request.originalUrl))
    const file = String(request.params.file)
    const name = tableNames.find((one) => `${one}.parquet` === file)
    const { caller } = requireCall(request)
    await generations.read(async ({ generation, catalogue, fileOf }) => {
      // A table was withdrawn while another was being sent.
      if (response.headersSent) return
      const table = name && generation.tables[name]
      if (!name || !table) {
        throw new ApiError('not_found', `there is no table '${file}': ${endpoints.tables.path} lists all`)
      }
      const needed = tableTier(name, catalogue)
      if (!includesTier(caller.tier, needed)) throw insufficientTier(`the whole table ${name}`, caller.tier, needed)
      const path = fileOf(name)
      response.set({
        // Strong, so that clients never combine ranges of two files (If-Range).
        ETag: `"${table.sha256}"`,
        'X-Generation': generation.id,
        'Cache-Control': `${caller.by === 'nothing' ? 'public' : 'private'}, no-cache`,
        Vary: 'Authorization',
      })
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
