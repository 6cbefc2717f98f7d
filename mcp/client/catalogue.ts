import type { z } from 'zod'
import type { EndpointId } from '#contract/endpoints.ts'
import type { Meta } from '#contract/envelope.ts'
import { MetricNames } from '#contract/metric-ids.ts'
import { rows } from '#contract/rows.ts'
import { endpointPath } from '#contract/variants.ts'
import { readRows } from './read-rows.ts'
import type { Access } from './rest.ts'

export type Metric = z.output<typeof rows.metric>

export type Catalogue = ReturnType<typeof createCatalogue>

export function createCatalogue(meta: Meta, metrics: readonly Metric[]) {
  const names = new MetricNames(metrics)
  const byEndpoint = Map.groupBy(metrics, endpointPath)
  return {
    meta,
    metrics,
    /** By id, or a name or alias that no other metric has. */
    find: (id: string): Metric | undefined => names.find(id),
    servedBy: (endpoint: EndpointId): readonly Metric[] => byEndpoint.get(endpoint) ?? [],
  }
}

/** Caches the catalogue for all callers until an answer has another generation. */
export class CatalogueReader {
  #catalogue: Catalogue | undefined
  #reading: Promise<Catalogue> | undefined

  async read(access: Access): Promise<Catalogue> {
    const catalogue = await this.#readOnce(access)
    access.noteMeta?.(catalogue.meta)
    return catalogue
  }

  async #readOnce(access: Access): Promise<Catalogue> {
    // Concurrent callers wait for one request. If it fails, each sends its own, with its key and
    // signal.
    if (!this.#catalogue) await this.#reading?.catch(() => undefined)
    if (this.#catalogue) return this.#catalogue
    this.#reading = readCatalogue(access).then((catalogue) => {
      this.#catalogue = catalogue
      return catalogue
    })
    return this.#reading
  }

  /** Call it with each answer's generation. */
  noteGeneration(generation: string): void {
    if (this.#catalogue?.meta.generation !== generation) this.#catalogue = undefined
  }
}

export async function readMetric(metric_id: string, access: Access): Promise<Metric> {
  const { data } = await readRows(access, '/v1/metrics/{metric_id}', { metric_id, fields: 'all' }, rows.metric)
  return data[0]!
}

export const readMeasures = async (access: Access): Promise<readonly Metric[]> =>
  (await readRows(access, '/v1/metrics', { fields: 'all' }, rows.metric)).data

async function readCatalogue(access: Access): Promise<Catalogue> {
  const { data, meta } = await readRows(access, '/v1/metrics', { variants: 'all', fields: 'all' }, rows.metric)
  return createCatalogue(meta, data)
}
