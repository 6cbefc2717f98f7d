import { buffer } from 'node:stream/consumers'
import type { ChartStorage } from '#api/charts/shared-charts.ts'
import { version } from '#base/version.ts'
import { openStore } from '#store/open-store.ts'

/** Longer than the largest chart. */
const mostBytes = 64 * 2 ** 20

/** Charts in a store of objects, those of each version of the program apart. Throws `invalid_configuration`. */
export async function openChartPlace(address: string): Promise<ChartStorage> {
  const store = await openStore(address)
  const keyOf = (id: string): string => `charts/${version}/${id}`
  return {
    name: store.name,
    read: async (id) => {
      const found = await store.read(keyOf(id))
      if (found === undefined || found === 'unchanged') return undefined
      let read = 0
      found.body.on('data', (chunk: Uint8Array) => {
        read += chunk.length
        if (read > mostBytes) found.body.destroy(new Error(`${keyOf(id)} is too long`))
      })
      return buffer(found.body)
    },
    write: async (id, bytes) => void (await store.write(keyOf(id), bytes, 'absent')),
    remove: (id) => store.remove(keyOf(id)),
  }
}
