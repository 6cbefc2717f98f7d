import type { KeyObject } from 'node:crypto'
import { createHash, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import { currentGeneration, generationFiles, listGenerationIds } from '#sql/generation.ts'
import {
  type Current,
  currentKey,
  descriptionName,
  generationsPrefix,
  isSignedWith,
  objectKey,
  type Publication,
  readCurrent,
  signCurrent,
} from './current.ts'
import { type ObjectStore, removeOrphans, writeImmutable } from './object-store.ts'
import { transfer } from './transfer.ts'

/** As in a data folder. */
const generationsKept = 3
/** Time to finish pulling a replaced generation. */
const defaultGraceMs = 3_600_000
/** No publication takes longer; clocks of writer and store may differ by hours. */
const orphanGraceMs = 86_400_000

export interface PublishOptions {
  /** Signs the publication; a store whose publication is signed takes only those of the same key. */
  readonly key?: KeyObject | undefined
  /** Identity of the data folder; a store takes publications of one. */
  readonly publisher?: string | undefined
  /** Publishes existing generations again, and replaces newer ones of other data folders. */
  readonly force?: boolean
  /** Only checks whether the store takes the publication. */
  readonly isTrial?: boolean
  readonly graceMs?: number
  readonly now?: () => number
}

export interface StorePublication {
  readonly id: string
  /** Already the store's current generation. */
  readonly unchanged: boolean
  readonly bytes: number
  readonly removed: readonly string[]
}

/**
 * Publishes the current generation: first its files, which are never replaced, then `current.json`,
 * unless somebody else has changed it. Readers see the whole generation or nothing. Removes all but
 * the newest three generations after the grace period, and remains of failed publications after a
 * day. Throws `store_conflict`, `store_failed`, `store_damaged`.
 */
export async function publishToStore(
  store: ObjectStore,
  dataDir: string,
  options: PublishOptions = {},
): Promise<StorePublication> {
  const { key, publisher, force = false, isTrial = false, graceMs = defaultGraceMs, now = Date.now } = options
  const opened = currentGeneration(dataDir)
  if (!opened)
    throw new CoinstrataError('data_not_ready', `nothing is published in ${dataDir} yet`, {
      cure: 'run "coinstrata update"',
    })
  const { folder, generation } = opened
  const { id, network } = generation
  const found = await readCurrent(store)
  if (found === 'unchanged') throw new Error('nothing was known of it')
  const stored = found?.current
  if (stored && stored.network !== network) throw otherNetwork(store, stored.network, network)
  if (stored?.generations[0].id === id && !force) return { id, unchanged: true, bytes: 0, removed: [] }
  if (stored && !force) {
    if (stored.publisher !== undefined && stored.publisher !== publisher) throw conflict(store, 'it was there first')
    requireSameKey(store, stored, key)
    requireNotNewer(store, stored.generations[0], id, listGenerationIds(dataDir))
  }
  if (isTrial) return { id, unchanged: true, bytes: 0, removed: [] }

  const generated = generationFiles(generation)
  const files = generated.map(([name]) => `${name}.parquet`)
  let bytes = 0
  await transfer(generated, async ([name, table]) => {
    const file = path.join(folder, `${name}.parquet`)
    const change = await describeFileChange(file, table)
    if (change !== undefined)
      throw new CoinstrataError('invalid_file', change, {
        cure: 'run "coinstrata compute" to publish a new generation',
      })
    bytes += table.bytes
    const key = objectKey(id, `${name}.parquet`)
    const there = force ? undefined : await store.describe(key)
    if (there?.bytes === table.bytes && there.sha256 === table.sha256) return
    await writeImmutable(store, key, { file, bytes: table.bytes }, table.sha256)
  })
  const description = readFileSync(path.join(folder, descriptionName))
  const sha256 = createHash('sha256').update(description).digest('hex')
  await writeImmutable(store, objectKey(id, descriptionName), description, sha256)

  const published_at = new Date(now()).toISOString()
  const others = (stored?.generations ?? []).filter((other) => other.id !== id)
  const { kept, expired } = splitExpired(others, published_at, now() - graceMs)
  for (const old of expired) await removeGeneration(store, old)
  const sequence = (stored?.sequence ?? 0) + 1
  const current = signCurrent(
    { network, publisher, sequence, sha256, generations: [{ id, sha256, published_at, files }, ...kept] },
    key,
  )
  const etag = await store.write(
    currentKey,
    Buffer.from(`${JSON.stringify(current, null, 2)}\n`),
    found ? { etag: found.etag } : 'absent',
  )
  if (etag === undefined) throw conflict(store, 'while this one was on its way')
  const used = current.generations.flatMap((one) =>
    [...one.files, descriptionName].map((name) => objectKey(one.id, name)),
  )
  await removeOrphans(store, generationsPrefix, used, now() - orphanGraceMs)
  return { id, unchanged: false, bytes, removed: expired.map((old) => old.id) }
}

/** Keeps the newest generations and those possibly being pulled. */
function splitExpired(others: readonly Publication[], replacedAt: string, limit: number) {
  // Each was current until its predecessor in the list was published.
  const until = [replacedAt, ...others.map(({ published_at }) => published_at)]
  const stays = (place: number): boolean => place < generationsKept - 1 || Date.parse(until[place]!) > limit
  return { kept: others.filter((_, place) => stays(place)), expired: others.filter((_, place) => !stays(place)) }
}

/** Removes the description last, so that interrupted removals can be repeated. */
async function removeGeneration(store: ObjectStore, { id, files }: Publication): Promise<void> {
  for (const name of [...files, descriptionName]) await store.remove(objectKey(id, name))
}

/** Ids sort by time of creation. */
function requireNotNewer(
  store: ObjectStore,
  { id: theirs }: Publication,
  ours: string,
  known: readonly string[],
): void {
  // After a rollback the data folder still has the newer one.
  if (theirs < ours || known.includes(theirs)) return
  throw conflict(store, `it holds ${theirs}, which is newer than ${ours} and not of this data folder`)
}

/** Readers that trust a key would refuse a publication without its signature. */
function requireSameKey(store: ObjectStore, stored: Current, key: KeyObject | undefined): void {
  if (stored.signature === null || (key && isSignedWith(stored, createPublicKey(key)))) return
  const what = key ? 'is signed with another key' : 'is signed, and this machine has no key'
  throw new CoinstrataError('store_conflict', `what is published in the store ${store.name} ${what}`, {
    cure: 'set PUBLISH_KEY_FILE to the key that signed it; to change the key, run "coinstrata publish --force"',
  })
}

const conflict = (store: ObjectStore, what: string): CoinstrataError =>
  new CoinstrataError('store_conflict', `another data folder publishes to the store ${store.name}: ${what}`, {
    cure: 'let only one machine publish to an address; to take over from another, stop that one and run "coinstrata publish --force"',
  })

const otherNetwork = (store: ObjectStore, theirs: string, ours: string): CoinstrataError =>
  new CoinstrataError('data_folder_mismatch', `the store ${store.name} holds data of ${theirs}, not of ${ours}`, {
    cure: `give ${ours} an address of its own, such as another prefix`,
  })
