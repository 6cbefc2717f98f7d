import type { KeyObject } from 'node:crypto'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import { currentGeneration, listGenerationIds } from '#sql/generation.ts'
import { currentKey, descriptionName, objectKey, type Publication, readCurrent, signCurrent } from './current.ts'
import type { ObjectStore } from './object-store.ts'
import { writeImmutable } from './put.ts'

/** As many as a data folder keeps. */
const generationsKept = 3
/** How long machines may take to pull a generation after it was replaced, in milliseconds. */
const defaultGraceMs = 3_600_000

export interface PublishOptions {
  /** Signs what is published; without one it is not signed. */
  readonly key?: KeyObject | undefined
  /** Publish also what the store has already, and over what another data folder has published later. */
  readonly force?: boolean
  readonly graceMs?: number
  readonly now?: () => number
}

export interface StorePublication {
  readonly id: string
  /** The store had it already, as the current one. */
  readonly unchanged: boolean
  readonly bytes: number
  /** Ids of generations that were removed. */
  readonly removed: readonly string[]
}

/**
 * Puts the current generation of a data folder into a store: its files first, each only if there is none of its name, then
 * what makes it the current one, only if nobody else did meanwhile. A reader sees it whole or not at all. Generations that have
 * not been current for the grace are removed, but for three. Throws `data_not_ready`, `invalid_file`, `store_conflict`, `store_failed`, `store_damaged`.
 */
export async function publishToStore(
  store: ObjectStore,
  dataDir: string,
  options: PublishOptions = {},
): Promise<StorePublication> {
  const { key, force = false, graceMs = defaultGraceMs, now = Date.now } = options
  const opened = currentGeneration(dataDir)
  if (!opened)
    throw new CoinstrataError('data_not_ready', `nothing is published in ${dataDir} yet`, {
      cure: 'run "coinstrata update"',
    })
  const { folder, generation } = opened
  const { id, network, tables } = generation
  const found = await readCurrent(store)
  if (found === 'unchanged') throw new Error('nothing was known of it')
  const stored = found?.current
  if (stored && stored.network !== network) throw otherNetwork(store, stored.network, network)
  if (stored?.generations[0].id === id && !force) return { id, unchanged: true, bytes: 0, removed: [] }
  if (stored && !force) requireNotNewer(store, stored.generations[0], id, listGenerationIds(dataDir))

  const files = Object.keys(tables).map((name) => `${name}.parquet`)
  let bytes = 0
  for (const [name, table] of Object.entries(tables)) {
    const file = path.join(folder, `${name}.parquet`)
    const change = await describeFileChange(file, table)
    if (change !== undefined)
      throw new CoinstrataError('invalid_file', change, {
        cure: 'run "coinstrata compute" to publish a new generation',
      })
    await writeImmutable(store, objectKey(id, `${name}.parquet`), { file, bytes: table.bytes }, table.sha256)
    bytes += table.bytes
  }
  const description = readFileSync(path.join(folder, descriptionName))
  const sha256 = createHash('sha256').update(description).digest('hex')
  await writeImmutable(store, objectKey(id, descriptionName), description, sha256)

  const published_at = new Date(now()).toISOString()
  const others = (stored?.generations ?? []).filter((other) => other.id !== id)
  const { kept, expired } = splitExpired(others, published_at, now() - graceMs)
  for (const old of expired) await removeGeneration(store, old)
  const current = signCurrent({ network, sha256, generations: [{ id, published_at, files }, ...kept] }, key)
  const moved = await store.write(
    currentKey,
    Buffer.from(`${JSON.stringify(current, null, 2)}\n`),
    found ? { etag: found.etag } : 'absent',
  )
  if (moved === undefined) throw conflict(store, 'while this one was on its way')
  return { id, unchanged: false, bytes, removed: expired.map((old) => old.id) }
}

/** Which of the others stay: the newest, and those that a machine may still be pulling. */
function splitExpired(others: readonly Publication[], replacedAt: string, limit: number) {
  // Each was current until the one before it in the list was published.
  const until = [replacedAt, ...others.map(({ published_at }) => published_at)]
  const stays = (place: number): boolean => place < generationsKept - 1 || Date.parse(until[place]!) > limit
  return { kept: others.filter((_, place) => stays(place)), expired: others.filter((_, place) => !stays(place)) }
}

/** Its description goes last, so that what is broken off can be done again. */
async function removeGeneration(store: ObjectStore, { id, files }: Publication): Promise<void> {
  for (const name of [...files, descriptionName]) await store.remove(objectKey(id, name))
}

/** Ids begin with the time at which a generation was made. */
function requireNotNewer(
  store: ObjectStore,
  { id: theirs }: Publication,
  ours: string,
  known: readonly string[],
): void {
  // Whoever went back to an older generation still has the newer one.
  if (theirs < ours || known.includes(theirs)) return
  throw conflict(store, `it holds ${theirs}, which is newer than ${ours} and not of this data folder`)
}

const conflict = (store: ObjectStore, what: string): CoinstrataError =>
  new CoinstrataError('store_conflict', `another data folder publishes to the store ${store.name}: ${what}`, {
    cure: 'let only one machine publish to an address; to take over from another, stop that one and run "coinstrata publish --force"',
  })

const otherNetwork = (store: ObjectStore, theirs: string, ours: string): CoinstrataError =>
  new CoinstrataError('data_folder_mismatch', `the store ${store.name} holds data of ${theirs}, not of ${ours}`, {
    cure: `give ${ours} an address of its own, such as another prefix`,
  })
