import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { freeMemory } from '#base/free-memory.ts'
import { shareRunning } from '#base/shared-promises.ts'
import { ApiError } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Meta } from '#contract/envelope.ts'
import type { Format } from '#contract/parameters.ts'
import type { Admission, CallerWork } from '#limits/admission.ts'
import { encodeTable } from '#query/encode-table.ts'
import type { Generations } from '#query/generations.ts'
import type { Published } from '#query/published.ts'
import type { Table } from '#query/table/columns.ts'
import { type CompressedBeginning, type Encoding, untilUnused } from './compression.ts'
import type { ParsedRequest } from './route.ts'

/** The parts of a request that determine the answer. */
interface DataRequest {
  readonly url: string
  /** Undefined if Accept names no served format. */
  readonly accepted: Format | undefined
  readonly caller: Caller
}

interface UnparsedRequest extends DataRequest {
  readonly parse: () => ParsedRequest
}

interface AnswerHead {
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Encoded except for its timestamp. It keeps no reference to its generation, which may be deleted
 * first.
 */
export interface EncodedAnswer extends AnswerHead {
  readonly kind: 'encoded'
  /** `whole`: JSON without a timestamp at its end. */
  readonly format: 'json' | 'csv' | 'whole'
  readonly beginning: Buffer
  readonly compressed: Partial<Record<Encoding, Promise<CompressedBeginning>>>
}

/** Encoded while it is sent. */
export interface TableAnswer extends AnswerHead {
  readonly kind: 'table'
  readonly published: Published
  readonly format: Format
  readonly table: Table
  readonly meta: Meta
  /** Says why it is not whole. */
  readonly cut: string | undefined
  /** Excel reads UTF-8 only after a byte order mark. */
  readonly hasMark: boolean
}

export type DataAnswer = EncodedAnswer | TableAnswer

const contentTypes: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

/**
 * Larger answers are rare: one of 700,000 cells would displace thousands of small ones to save half
 * a CPU second.
 */
const maxCachedCells = 300_000
const cacheBytes = 128 * 2 ** 20
const overheadBytes = 1_000

/** Reads answers and caches them by generation, except those that change between publications. */
export class AnswerCache {
  readonly #generations: Generations
  readonly #admission: Admission
  /** Part of ETags: versions may answer differently. */
  readonly #version: string
  readonly #cache = new LRUCache<string, EncodedAnswer>({
    ...untilUnused,
    maxSize: cacheBytes,
    // Twice: later compressed forms take about as much as the text.
    sizeCalculation: ({ beginning }, key) => 2 * beginning.length + key.length + overheadBytes,
  })
  readonly #pending = new Map<string, Promise<DataAnswer>>()
  /** State of the served generation when the last answer was added. */
  #state: string | undefined

  constructor(generations: Generations, admission: Admission, version: string) {
    this.#generations = generations
    this.#admission = admission
    this.#version = version
  }

  cached(request: DataRequest): EncodedAnswer | undefined {
    const published = this.#generations.ready
    return published && this.#cache.get(cacheKey(published, request))
  }

  /** 0 if cached. */
  expectedMs(request: UnparsedRequest): number {
    const { caller, parse } = request
    const published = this.#generations.ready
    // A caller without budget need not queue to be refused.
    if (!published || this.cached(request) || !this.#admission.cells.hasLeft(caller)) return 0
    return parse().expectedMs(published, caller.tier)
  }

  async find(request: UnparsedRequest): Promise<DataAnswer> {
    const cached = this.cached(request)
    if (cached) return cached
    const parsed = request.parse()
    return this.#generations.read(async (published) => {
      const key = cacheKey(published, request)
      const found = this.#cache.get(key)
      if (found) return found
      return shareRunning(this.#pending, key, () => this.#create(published, parsed, request, key))
    }, parsed.at)
  }

  async #create(
    published: Published,
    parsed: ParsedRequest,
    { accepted, caller, url }: DataRequest,
    key: string,
  ): Promise<DataAnswer> {
    const { endpoint } = parsed
    const format = parsed.format ?? accepted
    if (format === undefined) {
      const message = `Accept names no format that is served here: use ${acceptedTypes.join(', ')}`
      throw new ApiError('not_acceptable', message, { allowed: acceptedTypes })
    }
    const work = this.#admission.workFor(caller)
    const found = await parsed.answer(published, caller.tier, this.#generations, work, format)
    const { table, meta: answerMeta, version, cut, json } = found
    const cells = table.rows * table.columns.length
    work.spend(cells)
    const { id, simulated, attributions } = published.generation
    const attribution = attributions.length > 0 && { attribution: attributions.join('; ') }
    const meta: Meta = {
      generation: id,
      ...(simulated && { simulated }),
      ...published.meta,
      ...attribution,
      ...answerMeta,
    }
    const headers = {
      'Content-Type': contentTypes[format],
      ETag: `W/"${hash('sha256', [this.#version, format, key, version ?? ''].join(' '), 'hex').slice(0, 32)}"`,
      ...(format !== 'json' && fileHeaders(url, format, published, meta)),
    }
    if (format === 'parquet' || cells > maxCachedCells) {
      return { kind: 'table', endpoint, format, headers, table, meta, published, cut, hasMark: parsed.hasMark }
    }
    const pieces: Uint8Array[] = []
    const all = answerPieces(format, { table, meta, cut, hasMark: parsed.hasMark }, work)
    for await (const piece of json === undefined ? all : [Buffer.from(json)]) pieces.push(piece)
    const beginning = Buffer.concat(pieces)
    for (const piece of pieces) freeMemory(piece)
    const form = json === undefined ? format : 'whole'
    const answer: EncodedAnswer = { kind: 'encoded', endpoint, format: form, headers, beginning, compressed: {} }
    if (version === undefined) this.#add(key, answer)
    return answer
  }

  /** Drops answers of a replaced generation or of withdrawn tables. */
  #add(key: string, answer: EncodedAnswer): void {
    const current = this.#generations.ready?.state
    if (current !== undefined && current !== this.#state) {
      this.#cache.clear()
      this.#state = current
    }
    this.#cache.set(key, answer)
  }
}

const cacheKey = ({ state }: Published, { url, accepted, caller }: DataRequest): string =>
  `${state} ${caller.tier} ${accepted} ${url}`

/** In the order of `formats`. */
export const acceptedTypes = ['application/json', 'text/csv', 'application/vnd.apache.parquet']

/** Files have no room for `meta`: an ASCII header carries it. */
function fileHeaders(url: string, format: Format, { generation }: Published, meta: Meta): Record<string, string> {
  const path = url.replace(/\?.*/s, '').replace(/^\/v1\//, '')
  const name = `coinstrata-${path.replaceAll(/[^\w-]+/g, '-')}-${generation.last_date}.${format}`
  return { 'Content-Disposition': `attachment; filename="${name}"`, 'X-Coinstrata-Meta': asciiJson(truncateMeta(meta)) }
}

/** Proxies refuse headers above 4 kB. Only the list of withheld fields gets that long. */
const maxMetaBytes = 2_000
function truncateMeta(meta: Meta): Meta {
  const { withheld = [] } = meta
  let named = withheld
  while (named.length > 0 && asciiJson({ ...meta, withheld: named }).length > maxMetaBytes) {
    named = named.slice(0, Math.floor(named.length * 0.9))
  }
  if (named.length === withheld.length) return meta
  return { ...meta, withheld: named, withheld_more: withheld.length - named.length }
}

/** JSON for a header. */
export const asciiJson = (content: unknown): string =>
  JSON.stringify(content).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Pieces of an answer without its end. A last line of cut CSV has more fields than the header. */
export async function* answerPieces(
  format: 'json' | 'csv',
  { table, meta, cut, hasMark }: Pick<TableAnswer, 'table' | 'meta' | 'cut' | 'hasMark'>,
  work: CallerWork,
): AsyncGenerator<Uint8Array> {
  if (format === 'json') yield Buffer.from('{"success":true,"data":[')
  else if (hasMark) yield Buffer.from('\uFEFF')
  yield* encodeTable(table, format, work)
  if (format === 'csv' && cut !== undefined) {
    yield Buffer.from(`"This file is cut: ${cut}"${','.repeat(table.columns.length)}\r\n`)
  }
  if (format === 'json') yield Buffer.from(`],"count":${table.rows},"meta":${JSON.stringify(meta)}`)
}

let formatted = { time: 0, end: '' }

/** In JSON, the timestamp. Formatting it for each answer takes a fiftieth of a small one's time. */
export function answerEnd(format: EncodedAnswer['format']): string {
  if (format !== 'json') return ''
  const time = Date.now()
  if (time !== formatted.time) formatted = { time, end: `,"timestamp":"${new Date(time).toISOString()}"}` }
  return formatted.end
}
