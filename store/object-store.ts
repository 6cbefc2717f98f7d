import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import pRetry from 'p-retry'
import { CoinstrataError } from '#base/errors.ts'
import { storeDamaged } from './failures.ts'

/** `etag` identifies the content among all of the same key. */
export interface StoredObject {
  readonly etag: string
  readonly body: Readable
  /** Offset of the body: 0 if the store sends no parts of objects. */
  readonly from: number
}

export interface ReadOptions {
  /** Tag of the caller's content. */
  readonly known?: string | undefined
  /** Offset of the first byte. */
  readonly from?: number
}

/** Bytes, or a file of known length. */
export type Content = Uint8Array | { readonly file: string; readonly bytes: number }

/** Writes only if the key has no object, or one with this tag. */
export type WriteCondition = 'absent' | { readonly etag: string }

/**
 * Objects by key, as in S3. Keys are file names joined by slashes. Methods throw `store_failed` if
 * the store is unreachable, refuses access or answers unexpectedly; messages name it without
 * passwords.
 */
export interface ObjectStore {
  /** For messages: address without passwords. */
  readonly name: string
  /** For other programs, which append `/` and the key. */
  readonly address: string
  /** `undefined` if there is none; `unchanged` if it still has the tag `known`. */
  read(key: string, options?: ReadOptions): Promise<StoredObject | 'unchanged' | undefined>
  /** `undefined` if there is no such object; `sha256` is undefined if its writer gave none. */
  describe(key: string): Promise<{ readonly bytes: number; readonly sha256: string | undefined } | undefined>
  /** Objects below a prefix that ends in a slash; `changedAt` is in ms since 1970. */
  list(prefix: string): Promise<readonly { readonly key: string; readonly changedAt: number }[]>
  /** Writes atomically. Returns the tag, or `undefined` if the condition is not met. */
  write(key: string, content: Content, condition: WriteCondition, sha256?: string): Promise<string | undefined>
  /** Succeeds if there is none. */
  remove(key: string): Promise<void>
}

/** `undefined` if there is no such object. Throws `store_damaged` above `maxBytes`. */
export async function readWhole(
  store: ObjectStore,
  key: string,
  maxBytes: number,
  known?: string,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly etag: string } | 'unchanged' | undefined> {
  const found = await store.read(key, { known })
  if (found === undefined || found === 'unchanged') return found
  let read = 0
  found.body.on('data', (chunk: Uint8Array) => {
    read += chunk.length
    if (read > maxBytes) found.body.destroy(new Error(`${key} is too long`))
  })
  const bytes = await buffer(found.body).catch((cause: unknown) => {
    throw storeDamaged(store.name, key, `cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  })
  return { bytes, etag: found.etag }
}

export const defaultRetries = { retries: 3, minTimeout: 500 }

/** Writes an object that is never replaced; accepts an equal one from an interrupted attempt. */
export async function writeImmutable(store: ObjectStore, key: string, content: Content, sha256: string): Promise<void> {
  await pRetry(async () => {
    if ((await store.write(key, content, 'absent', sha256)) !== undefined) return
    const there = await store.read(key)
    if (there === undefined || there === 'unchanged')
      throw new CoinstrataError(
        'store_failed',
        `${key} in the store ${store.name} appears and disappears; stop other programs that change the store`,
      )
    const hash = createHash('sha256')
    await pipeline(there.body, hash)
    if (hash.digest('hex') === sha256) return
    await store.remove(key)
    throw storeDamaged(store.name, key, 'did not hold the bytes that were published, and was removed')
  }, defaultRetries)
}

/** Removes objects below a prefix that are not `used` nor changed since `limit` (ms since 1970). */
export async function removeOrphans(
  store: ObjectStore,
  prefix: string,
  used: Iterable<string>,
  limit: number,
): Promise<void> {
  const keep = new Set(used)
  for (const { key, changedAt } of await store.list(prefix)) {
    if (!keep.has(key) && changedAt < limit) await store.remove(key)
  }
}
