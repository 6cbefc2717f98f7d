import { createHash } from 'node:crypto'
import { closeSync, createReadStream, existsSync, linkSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pRetry, { type Options } from 'p-retry'
import { diskFull } from '#sql/parquet.ts'
import { storeDamaged, storeFailed } from './failures.ts'
import { defaultRetries, type ObjectStore } from './object-store.ts'

/** Aborts and continues a download after this long without a byte. */
const idleTimeoutMs = 10_000
/** For objects of unknown size. */
const maxUnknownBytes = 10_000_000

/** Retries per object, and the first pause in ms. */
export type Retries = Pick<Options, 'retries' | 'minTimeout'>

interface ExpectedObject {
  readonly sha256: string
  /** Undefined if unknown. */
  readonly bytes: number | undefined
}

/** Downloads objects through a folder, from which interrupted downloads continue. */
export function createDownloader(store: ObjectStore, folder: string, retries: Retries = defaultRetries) {
  return {
    /**
     * Returns the bytes that came. Continues an interrupted download of known size. Throws
     * `store_failed`, `store_damaged`, `disk_full`.
     */
    fetch: async (key: string, file: string, expected: ExpectedObject): Promise<number> => {
      mkdirSync(folder, { recursive: true })
      const download = path.join(folder, `${expected.sha256}-${path.basename(file)}`)
      if (expected.bytes === undefined) rmSync(download, { force: true })
      let received = 0
      const receive = (count: number): void => {
        received += count
      }
      await pRetry(() => continueDownload(store, key, download, expected, receive), retries)
      linkSync(download, file)
      return received
    },
    /** Files that `fetch` made stay. */
    clear: (): void => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Downloads the missing rest of an object; removes a file with wrong content. */
async function continueDownload(
  store: ObjectStore,
  key: string,
  file: string,
  { sha256, bytes: expected }: ExpectedObject,
  receive: (bytes: number) => void,
): Promise<void> {
  let hash = createHash('sha256')
  let bytes = 0
  const add = (chunk: Uint8Array): void => {
    bytes += chunk.length
    hash.update(chunk)
  }
  if (existsSync(file)) for await (const chunk of createReadStream(file)) add(chunk)
  const maxBytes = expected ?? maxUnknownBytes
  if (bytes === 0 || bytes < maxBytes) {
    const found = await store.read(key, { from: bytes })
    if (found === undefined || found === 'unchanged') throw storeDamaged(store.name, key, 'is missing')
    const isContinued = found.from > 0
    if (!isContinued) {
      hash = createHash('sha256')
      bytes = 0
    }
    const silence = setTimeout(
      () => found.body.destroy(new Error(`nothing came for ${idleTimeoutMs / 1000} s`)),
      idleTimeoutMs,
    )
    const descriptor = openSync(file, isContinued ? 'a' : 'w')
    try {
      // Written at once, so that nothing is lost where the line breaks.
      for await (const chunk of found.body) {
        silence.refresh()
        receive(chunk.length)
        add(chunk)
        if (bytes > maxBytes) break
        writeFileSync(descriptor, chunk)
      }
    } catch (cause) {
      throw diskFull(cause, file) ?? storeFailed(store.name, cause)
    } finally {
      closeSync(descriptor)
      clearTimeout(silence)
    }
  }
  if (bytes <= maxBytes && hash.digest('hex') === sha256) return
  rmSync(file, { force: true })
  throw storeDamaged(store.name, key, `is not what was published (its SHA-256 should be ${sha256})`)
}
