import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ApiError } from '#contract/api-error.ts'
import type { Caller } from '#contract/caller.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Meta } from '#contract/envelope.ts'
import { type Format, formats } from '#contract/parameters.ts'
import type { Work } from '#limits/work.ts'
import type { Generations } from '#query/generations.ts'
import type { Published } from '#query/published.ts'
import type { Table } from '#query/table/columns.ts'
import { valuesBetweenPauses } from '#sql/formula/evaluate.ts'
import type { Encoding } from './compressed.ts'
import { type Compressed, joined, piecesOf } from './encoded-answer.ts'
import type { ParsedRequest } from './route.ts'

/** What is asked, as far as it decides the answer. */
export interface DataRequest {
  readonly url: string
  /** By the Accept header; undefined where it names nothing that is served. */
  readonly accepted: Format | undefined
  readonly caller: Caller
}

/** A request whose answer may have to be made. */
interface ReadableRequest extends DataRequest {
  readonly parse: () => ParsedRequest
}

interface Common {
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
}

/** An answer that is encoded up to its end, which tells the time. It holds nothing of its generation, which may be gone before it. */
export interface EncodedAnswer extends Common {
  readonly kind: 'encoded'
  readonly format: 'json' | 'csv'
  readonly beginning: Buffer
  /** By encoding. */
  readonly compressed: Partial<Record<Encoding, Promise<Compressed>>>
}

/** An answer that is encoded while it is sent. */
export interface TableAnswer extends Common {
  readonly kind: 'table'
  readonly published: Published
  readonly format: Format
  readonly table: Table
  readonly meta: Meta
}

export type DataAnswer = EncodedAnswer | TableAnswer

const contentTypes: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

/**
 * Larger answers are rare and long on their way: one of 700,000 cells, 7 MB where compressed, would push out thousands of small
 * ones to save half a CPU second, and who asks for the same once more holds it and is told so (304) in a fiftieth of that.
 */
const mostKeptCells = 300_000
const keptBytes = 192 * 2 ** 20
const bytesBesides = 1_000

/** Finds or makes answers. They are kept by generation, so none outlives the data that it shows; those that change between publications are not. */
export class AnswerStore {
  readonly #generations: Generations
  readonly #work: Work
  /** Of the program: other versions may answer otherwise. */
  readonly #version: string
  readonly #kept = new LRUCache<string, EncodedAnswer>({
    maxSize: keptBytes,
    sizeCalculation: ({ beginning }, key) => beginning.length + key.length + bytesBesides,
  })
  readonly #pending = new Map<string, Promise<DataAnswer>>()
  /** The generation that was current when answers were last kept. */
  #current: string | undefined

  constructor(generations: Generations, work: Work, version: string) {
    this.#generations = generations
    this.#work = work
    this.#version = version
  }

  /** The answer where it has been made already. */
  kept(request: DataRequest): EncodedAnswer | undefined {
    const published = this.#generations.ready
    return published && this.#kept.get(keyOf(published, request))
  }

  /** Throws `budget_exceeded`. */
  async answer(request: ReadableRequest): Promise<DataAnswer> {
    const parsed = request.parse()
    return this.#generations.read(async (published) => {
      const key = keyOf(published, request)
      const found = this.#kept.get(key) ?? this.#pending.get(key)
      if (found) return found
      this.#work.cells.require(request.caller)
      const made = this.#make(published, parsed, request, key)
      this.#pending.set(key, made)
      const settled = () => this.#pending.delete(key)
      made.then(settled, settled)
      return made
    }, parsed.at)
  }

  async #make(
    published: Published,
    parsed: ParsedRequest,
    { accepted, caller, url }: DataRequest,
    key: string,
  ): Promise<DataAnswer> {
    const { endpoint } = parsed
    const format = parsed.format ?? accepted
    if (format === undefined) {
      throw new ApiError('not_acceptable', `Accept names no format that is served here: use ${acceptable.join(', ')}`, {
        allowed: acceptable,
      })
    }
    const pauses = this.#work.pausesFor(caller, valuesBetweenPauses)
    const { table, meta: said, version } = await parsed.answer(published, caller.tier, this.#generations, pauses)
    const cells = table.rows * table.columns.length
    this.#work.cells.spend(caller, cells)
    const { id, simulated, attributions = [] } = published.generation
    const attribution = attributions.length > 0 && { attribution: attributions.join('; ') }
    const meta: Meta = { generation: id, ...(simulated && { simulated }), ...attribution, ...said }
    const headers = {
      'Content-Type': contentTypes[format],
      ETag: `W/"${hash('sha256', [this.#version, format, key, version ?? ''].join(' '), 'hex').slice(0, 32)}"`,
      ...(format !== 'json' && fileHeaders(url, format, published, meta)),
    }
    if (format === 'parquet' || cells > mostKeptCells) {
      return { kind: 'table', endpoint, format, headers, table, meta, published }
    }
    const beginning = await joined(piecesOf(format, table, meta), pauses.pause)
    const answer: EncodedAnswer = { kind: 'encoded', endpoint, format, headers, beginning, compressed: {} }
    if (version === undefined) this.#keep(key, answer)
    return answer
  }

  /** Hardly anybody asks for what was replaced: its answers go, or memory would grow with each publication up to the bound. */
  #keep(key: string, answer: EncodedAnswer): void {
    const current = this.#generations.ready?.generation.id
    if (current !== undefined && current !== this.#current) {
      this.#kept.clear()
      this.#current = current
    }
    this.#kept.set(key, answer)
  }
}

const keyOf = ({ generation, newestDay }: Published, { url, accepted, caller }: DataRequest): string =>
  `${generation.id} ${newestDay} ${caller.tier} ${accepted} ${url}`

/** Content types in the order of the formats. */
export const acceptable = ['application/json', 'text/csv', 'application/vnd.apache.parquet']

export const formatOf = (contentType: string): Format | undefined => formats[acceptable.indexOf(contentType)]

/** Files have no room for `meta`, so a header carries it: as JSON of ASCII characters, since headers take no others. */
function fileHeaders(url: string, format: Format, { generation }: Published, meta: Meta): Record<string, string> {
  const path = url.replace(/\?.*/s, '').replace(/^\/v1\//, '')
  const name = `coinstrata-${path.replaceAll(/[^\w-]+/g, '-')}-${generation.last_date}.${format}`
  return { 'Content-Disposition': `attachment; filename="${name}"`, 'X-Coinstrata-Meta': asciiJson(shortened(meta)) }
}

/** Proxies refuse headers of more than 4 kB; only the list of withheld fields can be as long. */
const longestMeta = 2_000
function shortened(meta: Meta): Meta {
  const { withheld = [] } = meta
  let named = withheld
  while (named.length > 0 && asciiJson({ ...meta, withheld: named }).length > longestMeta) {
    named = named.slice(0, Math.floor(named.length * 0.9))
  }
  if (named.length === withheld.length) return meta
  return { ...meta, withheld: named, withheld_more: withheld.length - named.length }
}

const asciiJson = (meta: Meta): string =>
  JSON.stringify(meta).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
