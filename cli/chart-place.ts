import type { ChartStorage } from '#api/charts/shared-charts.ts'
import { version } from '#base/version.ts'
import { readWhole } from '#store/object-store.ts'
import { openStore } from '#store/open-store.ts'

/** More than the largest chart. */
const maxBytes = 64 * 2 ** 20

/** Shares charts through an object store, separately for each program version. */
export async function openChartPlace(address: string): Promise<ChartStorage> {
  const store = await openStore(address)
  const storeKey = (id: string): string => `charts/${version}/${id}`
  return {
    name: store.name,
    read: async (id) => {
      const found = await readWhole(store, storeKey(id), maxBytes)
      return typeof found === 'object' ? found.bytes : undefined
    },
    write: async (id, bytes) => void (await store.write(storeKey(id), bytes, 'absent')),
    remove: (id) => store.remove(storeKey(id)),
  }
}
