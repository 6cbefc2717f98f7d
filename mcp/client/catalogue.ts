import type { z } from 'zod'
import { requestAddress } from '#clients/typescript/address.ts'
import { byEachId } from '#contract/aliases.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import type { RestClient } from './rest.ts'

export type Metric = z.output<typeof rows.metric>

const definitions = successSchema(rows.metric)

/** Every metric that the API defines, of one generation. */
export class Catalogue {
  readonly generation: string
  readonly metrics: readonly Metric[]
  readonly #byId: ReadonlyMap<string, Metric>
  readonly #byEndpoint: ReadonlyMap<string, readonly Metric[]>

  constructor(generation: string, metrics: readonly Metric[]) {
    this.generation = generation
    this.metrics = metrics
    this.#byId = byEachId(metrics)
    this.#byEndpoint = Map.groupBy(metrics, ({ endpoint }) => endpoint)
  }

  /** The metric of an id or of another id that it answers to. */
  find(id: string): Metric | undefined {
    return this.#byId.get(id)
  }

  /** The metrics of an endpoint. */
  servedBy(endpoint: EndpointId): readonly Metric[] {
    return this.#byEndpoint.get(endpoint) ?? []
  }
}

/** The catalogue, which is the same for every caller; read again when an answer shows that there is a newer one. */
export class CatalogueReader {
  #catalogue: Catalogue | undefined
  #reading: Promise<Catalogue> | undefined

  async read(rest: RestClient, signal: AbortSignal): Promise<Catalogue> {
    // One caller reads it for all who come meanwhile; should that fail, each of them reads it for itself.
    if (!this.#catalogue) await this.#reading?.catch(() => undefined)
    if (this.#catalogue) return this.#catalogue
    this.#reading = readCatalogue(rest, signal).then((catalogue) => {
      this.#catalogue = catalogue
      return catalogue
    })
    return this.#reading
  }

  /** To be told the generation of each answer. */
  noteGeneration(generation: string): void {
    if (this.#catalogue?.generation !== generation) this.#catalogue = undefined
  }
}

async function readCatalogue(rest: RestClient, signal: AbortSignal): Promise<Catalogue> {
  const { data, meta } = await rest.get(requestAddress('/v1/metrics', { fields: 'all' }), definitions, signal)
  return new Catalogue(meta.generation, data)
}
