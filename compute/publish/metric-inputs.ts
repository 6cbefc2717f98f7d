import { createHash } from 'node:crypto'
import type { TableName } from '#contract/tables/tables.ts'
import type { Formula } from '#sql/formula/parse.ts'

/** A table of metrics, and the ids of those that it publishes. */
export interface MetricSection {
  readonly table: TableName
  readonly metrics: readonly string[]
}

/**
 * By table, a hash of the columns that its metrics are made from, over any number of formulas, up to a day counted from the
 * first. `inputs` has the columns that were read from other tables, of which the past may change: a fund corrects what it
 * held, the top of a cycle is known years later.
 */
export function metricInputs(
  sections: readonly MetricSection[],
  formulas: ReadonlyMap<string, Formula>,
  inputs: ReadonlyMap<string, Float64Array>,
  day: number,
): Partial<Record<TableName, string>> {
  const digests = new Map<string, Buffer>()
  for (const [id, { buffer, byteOffset, BYTES_PER_ELEMENT }] of inputs) {
    const content = new Uint8Array(buffer, byteOffset, (day + 1) * BYTES_PER_ELEMENT)
    digests.set(id, createHash('sha256').update(id).update(content).digest())
  }
  return Object.fromEntries(
    sections.map(({ table, metrics }) => {
      // A set hands over what is added while it is walked.
      const ids = new Set(metrics)
      for (const id of ids) for (const reference of formulas.get(id)?.references.keys() ?? []) ids.add(reference)
      const hash = createHash('sha256')
      for (const id of [...ids].sort()) {
        const digest = digests.get(id)
        if (digest) hash.update(digest)
      }
      return [table, hash.digest('hex')]
    }),
  )
}
