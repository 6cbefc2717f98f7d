import { type KeyObject, sign } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import { requireSignatureOf } from './current.ts'
import { createDownloader, type Retries } from './download.ts'
import { storeDamaged } from './failures.ts'
import { type ObjectStore, readWhole, removeOrphans, writeImmutable } from './object-store.ts'
import { transfer } from './transfer.ts'

export const historyKey = 'history.json'
const historyPrefix = 'h/'
const objectKey = (sha256: string): string => `${historyPrefix}${sha256}`
const maxDescriptionBytes = 20_000_000
/** Objects that are no longer described stay this long, for running downloads. */
const graceMs = 7 * 86_400_000

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)
/** Relative to the folder `raw`. */
const nameSchema = z.string().regex(/^(segments\/(joined-)?[\w-]+|addresses)\/[\w-][\w.-]*$/)
const historySchema = z.object({
  network: z.string(),
  tip: z.object({ height: z.int(), hash: sha256Schema }),
  /** The segments' format, which only some program versions read. */
  format: z.int(),
  /** Setting `ADDRESSES` at the scan. */
  addresses: z.string(),
  /** Segments that together have each block up to the tip once. */
  keys: z.array(z.string().regex(/^[0-9a-f]{32}$/)).min(1),
  files: z.array(z.object({ name: nameSchema, bytes: z.int().min(0), sha256: sha256Schema })).min(1),
  published_at: z.iso.datetime(),
})
/** Scan of a chain, so that other machines need none. */
export type StoredHistory = z.infer<typeof historySchema>

const envelopeSchema = z.object({
  /** Base64 Ed25519 signature of `signedText`. */
  signature: z.string().nullable(),
  history: z.string(),
})

const signedText = (history: string): Buffer => Buffer.from(`coinstrata history\n${history}\n`)

export interface LocalFile {
  readonly name: string
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

/**
 * Publishes a scan: first files that the store lacks, which are never replaced, then the
 * description, which names and signs them. Returns the uploaded bytes. Throws `store_conflict`,
 * `store_failed`, `store_damaged`.
 */
export async function publishHistory(
  store: ObjectStore,
  description: Omit<StoredHistory, 'files' | 'published_at'>,
  files: readonly LocalFile[],
  key: KeyObject | undefined,
  now: () => number = Date.now,
): Promise<number> {
  const found = await readDescription(store)
  const stored = new Set(found?.history.files.map(({ sha256 }) => sha256))
  let bytes = 0
  await transfer(
    files.filter(({ sha256 }) => !stored.has(sha256)),
    async (one) => {
      const change = await describeFileChange(one.file, one)
      if (change !== undefined)
        throw new CoinstrataError('invalid_file', change, {
          cure: 'run "coinstrata update", which scans damaged segments again',
        })
      await writeImmutable(store, objectKey(one.sha256), one, one.sha256)
      bytes += one.bytes
    },
  )
  const history = JSON.stringify({
    ...description,
    files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    published_at: new Date(now()).toISOString(),
  })
  const signature = key ? sign(null, signedText(history), key).toString('base64') : null
  const content = Buffer.from(`${JSON.stringify({ signature, history })}\n`)
  const etag = await store.write(historyKey, content, found ? { etag: found.etag } : 'absent')
  if (etag === undefined)
    throw new CoinstrataError(
      'store_conflict',
      `another machine published history to the store ${store.name} meanwhile`,
      { cure: 'let only one machine publish to an address' },
    )
  const used = files.map(({ sha256 }) => objectKey(sha256))
  await removeOrphans(store, historyPrefix, used, now() - graceMs)
  return bytes
}

/**
 * Throws `data_not_ready` for a store without history, `store_damaged` unless the owner of `key`
 * has signed it.
 */
export async function readHistory(store: ObjectStore, key: KeyObject | undefined): Promise<StoredHistory> {
  const found = await readDescription(store)
  if (!found)
    throw new CoinstrataError('data_not_ready', `the store ${store.name} has no history`, {
      cure: 'run "coinstrata publish --history" on the machine that scans, or check the address',
    })
  if (key) requireSignatureOf(store, historyKey, signedText(found.text), found.signature, key)
  return found.history
}

async function readDescription(store: ObjectStore) {
  const found = await readWhole(store, historyKey, maxDescriptionBytes)
  if (found === undefined || found === 'unchanged') return undefined
  try {
    const { signature, history: text } = envelopeSchema.parse(JSON.parse(found.bytes.toString()))
    return { signature, text, history: historySchema.parse(JSON.parse(text)), etag: found.etag }
  } catch {
    throw storeDamaged(store.name, historyKey, 'is not a description of history')
  }
}

export interface HistoryDownload {
  /** Keeps interrupted downloads. */
  readonly folder: string
  /** Begins to place a folder's files; undefined if all are there. */
  readonly begin: (
    folder: string,
    files: StoredHistory['files'],
  ) => { readonly unfinished: string; readonly finish: () => void } | undefined
  /** `bytes` of all files in place. */
  readonly onProgress: (bytes: number, total: number) => void
  readonly retries?: Retries
}

/**
 * Downloads folder by folder and checks each SHA-256. Throws `store_failed`, `store_damaged`,
 * `disk_full`.
 */
export async function downloadHistory(
  store: ObjectStore,
  { files }: StoredHistory,
  { folder, begin, onProgress, retries }: HistoryDownload,
): Promise<void> {
  const downloader = createDownloader(store, folder, retries)
  const sum = (list: StoredHistory['files']): number => list.reduce((bytes, file) => bytes + file.bytes, 0)
  const total = sum(files)
  let done = 0
  await transfer(
    Map.groupBy(files, ({ name }) => path.dirname(name)),
    async ([name, list]) => {
      const place = begin(name, list)
      for (const { name: file, bytes, sha256 } of place ? list : []) {
        await downloader.fetch(objectKey(sha256), path.join(place!.unfinished, path.basename(file)), { sha256, bytes })
      }
      place?.finish()
      done += sum(list)
      onProgress(done, total)
    },
  )
  downloader.clear()
}
