import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import pRetry from 'p-retry'
import { CoinstrataError } from '#base/errors.ts'
import { storeDamaged } from './failures.ts'
import type { Content, ObjectStore } from './object-store.ts'

/**
 * Writes an object that is never replaced. One that stands there from an attempt that was broken off is as good, if it is
 * the same. Throws `store_failed`, `store_damaged`.
 */
export async function writeImmutable(store: ObjectStore, key: string, content: Content, sha256: string): Promise<void> {
  await pRetry(
    async () => {
      if ((await store.write(key, content, 'absent')) !== undefined) return
      const there = await store.read(key)
      if (there === undefined || there === 'unchanged')
        throw new CoinstrataError('store_failed', `${key} in the store ${store.name} comes and goes`)
      const hash = createHash('sha256')
      await pipeline(there.body, hash)
      if (hash.digest('hex') === sha256) return
      await store.remove(key)
      throw storeDamaged(store.name, key, 'did not hold the bytes that were published, and was removed')
    },
    { retries: 3, minTimeout: 500 },
  )
}
