import type { KeyObject } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { describeFileChange, findDamagedTables } from '#sql/file-digest.ts'
import { publishFolder, unfinishedPath } from '#sql/files.ts'
import { appendFirstPublished } from '#sql/first-published.ts'
import {
  currentGenerationId,
  type Generation,
  generationFiles,
  generationsToKeep,
  listGenerationIds,
  listGenerations,
  openGeneration,
  publishedFolder,
  removeOldGenerations,
  switchToGeneration,
} from '#sql/generation.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { withSession } from '#sql/session.ts'
import { type Current, descriptionName, objectKey, type Publication, readCurrent, requireSignature } from './current.ts'
import { createDownloader, type Retries } from './download.ts'
import { storeDamaged } from './failures.ts'
import type { ObjectStore } from './object-store.ts'
import { transfer } from './transfer.ts'

/** Local files are re-verified this often, with a tenth of a core. */
const verifyIntervalMs = 3_600_000
const verifyPauseMs = 6

/** Last pull, to reject replays of an older `current.json`. */
const pulledSchema = z.object({ store: z.string(), sequence: z.int(), published_at: z.iso.datetime() })
const pulledFile = (dataDir: string): string => path.join(dataDir, 'state', 'pulled.json')

export interface PullOptions {
  /** Rejects publications not signed with this key. */
  readonly key?: KeyObject | undefined
  /** Accepts, once, a publication before the last one pulled. */
  readonly acceptOlder?: boolean
  readonly retries?: Retries
}

export interface Pull {
  readonly generation: Generation
  /** Downloaded bytes; unchanged tables are linked from local generations. */
  readonly bytes: number
}

/** Copies a store's generations into a serving machine's data folder. */
export class Puller {
  readonly #store: ObjectStore
  readonly #dataDir: string
  readonly #key: KeyObject | undefined
  readonly #acceptOlder: boolean
  readonly #downloader: ReturnType<typeof createDownloader>
  #etag: string | undefined
  #verifiedAt = 0

  constructor(store: ObjectStore, dataDir: string, { key, acceptOlder = false, retries }: PullOptions = {}) {
    this.#store = store
    this.#acceptOlder = acceptOlder
    this.#dataDir = dataDir
    this.#key = key
    this.#downloader = createDownloader(store, path.join(dataDir, 'state', 'pull'), retries)
  }

  /**
   * The store's state if its current generation is not the current one here or is damaged, or
   * another is missing. Throws `store_failed`, `store_damaged`, `data_not_ready` for an empty
   * store.
   */
  async look(): Promise<{ readonly current: Current; readonly etag: string } | undefined> {
    const isVerified = Date.now() - this.#verifiedAt < verifyIntervalMs
    const found = await readCurrent(this.#store, isVerified ? this.#etag : undefined)
    if (found === 'unchanged') return undefined
    if (found === undefined) {
      throw new CoinstrataError('data_not_ready', `nothing is published in the store ${this.#store.name} yet`, {
        cure: 'run "coinstrata publish" on the machine that computes, or check the address',
      })
    }
    if (this.#key) requireSignature(this.#store, found.current, this.#key)
    const [{ id }] = found.current.generations
    if (id !== currentGenerationId(this.#dataDir) || this.#missing(found.current).length > 0) return found
    if (!isVerified) {
      if (!(await this.#isIntact(id, verifyPauseMs))) return found
      this.#verifiedAt = Date.now()
    }
    this.#etag = found.etag
    return undefined
  }

  /**
   * Downloads generations that this machine lacks: the current one, served at once, then the
   * others, so that `generation=` and `as_of=` have the same answers everywhere. Checks every
   * file's SHA-256. The caller must hold the data folder's lock. Fails as `look` does.
   */
  async pull(): Promise<Pull | undefined> {
    const found = await this.look()
    if (!found) return undefined
    const { current, etag } = found
    if (!this.#acceptOlder) this.#refuseOlder(current)
    const [{ id, published_at }] = current.generations
    const target = path.join(publishedFolder(this.#dataDir), id)
    // After the publisher's rollback, the older generation is still here.
    let bytes = (await this.#isIntact(id)) ? 0 : await this.#fill(id, current.sha256, current.network)
    const { generation } = openGeneration(target)
    if (id !== currentGenerationId(this.#dataDir)) switchToGeneration(this.#dataDir, id)
    writeIntactJson(pulledFile(this.#dataDir), { store: this.#store.name, sequence: current.sequence, published_at })
    removeOldGenerations(this.#dataDir)
    for (const missing of this.#missing(current)) {
      bytes += await this.#fill(missing.id, missing.sha256, current.network)
      removeOldGenerations(this.#dataDir)
    }
    this.#downloader.clear()
    await withSession({ temporaryFolder: path.join(this.#dataDir, 'state', 'tmp'), threads: 1 }, (connection) =>
      appendFirstPublished(connection, this.#dataDir),
    )
    this.#etag = etag
    this.#verifiedAt = Date.now()
    return { generation, bytes }
  }

  /** Generations missing here that would be kept, newest first. */
  #missing({ generations: [, ...older] }: Current): Publication[] {
    const here = listGenerationIds(this.#dataDir)
    const known = new Set([...here, ...older.map(({ id }) => id)])
    const newest = new Set([...known].sort().slice(-generationsToKeep))
    return older
      .filter(({ id }) => newest.has(id) && !here.includes(id))
      .sort((one, other) => (one.id < other.id ? 1 : -1))
  }

  async #isIntact(id: string, pauseMs?: number): Promise<boolean> {
    const opened = listGenerations(this.#dataDir).find((stored) => stored.id === id)?.opened
    return opened !== undefined && (await findDamagedTables(opened, pauseMs)).length === 0
  }

  /** Downloads a generation's files that differ from local ones; returns the downloaded bytes. */
  async #fill(id: string, sha256: string, network: string): Promise<number> {
    const target = path.join(publishedFolder(this.#dataDir), id)
    const folder = unfinishedPath(target)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    try {
      const description = path.join(folder, descriptionName)
      let bytes = await this.#downloader.fetch(objectKey(id, descriptionName), description, {
        sha256,
        bytes: undefined,
      })
      const { generation } = openGeneration(folder)
      if (generation.id !== id || generation.network !== network) {
        throw storeDamaged(this.#store.name, objectKey(id, descriptionName), 'describes another generation')
      }
      const here = this.#filesByHash()
      await transfer(generationFiles(generation), async ([name, table]) => {
        const file = path.join(folder, `${name}.parquet`)
        const same = here.get(table.sha256)
        if (same !== undefined && (await describeFileChange(same, table)) === undefined) return linkSync(same, file)
        const received = await this.#downloader.fetch(objectKey(id, `${name}.parquet`), file, table)
        bytes += received
      })
      const damaged = unfinishedPath(`${target}-damaged`)
      if (existsSync(target)) renameSync(target, damaged)
      publishFolder(folder, target)
      rmSync(damaged, { recursive: true, force: true })
      return bytes
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  #filesByHash(): ReadonlyMap<string, string> {
    const files = listGenerations(this.#dataDir).flatMap(({ opened }) =>
      Object.entries(opened?.generation.tables ?? {}).map(
        ([name, { sha256 }]) => [sha256, path.join(opened!.folder, `${name}.parquet`)] as const,
      ),
    )
    return new Map(files)
  }

  #refuseOlder(current: Current): void {
    const file = pulledFile(this.#dataDir)
    const damaged = (cause: unknown): CoinstrataError =>
      new CoinstrataError('invalid_file', `${file} is damaged`, {
        cause,
        cure: 'run "coinstrata pull --accept-older" once',
      })
    const last = readIntactJson(file, pulledSchema, damaged)
    const { sequence, generations } = current
    const [{ id, published_at }] = generations
    if (last?.store !== this.#store.name || last.sequence <= sequence) return
    // In an emptied store, numbers restart.
    if (last.published_at < published_at) return
    throw storeDamaged(
      this.#store.name,
      'current.json',
      `names ${id}, publication ${sequence}, before what was pulled last (publication ${last.sequence})`,
      'if the store was restored from a backup or emptied, run "coinstrata pull --accept-older" once on each machine; otherwise find out who replaced current.json',
    )
  }
}
