import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { copyFile, link, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasErrorCode } from '#base/errors.ts'
import { createSerialQueue } from '#base/serial-queue.ts'
import { digestFile } from '#sql/file-digest.ts'
import { syncPath, unfinishedPrefix } from '#sql/files.ts'
import { storeFailed } from './failures.ts'
import type { Content, ObjectStore, ReadOptions, StoredObject, WriteCondition } from './object-store.ts'

const lockTimeoutMs = 10_000

/** Files of a folder, which several machines may mount. */
export class FileStore implements ObjectStore {
  readonly name: string
  readonly address: string
  readonly #folder: string
  /** Waiting for the lock blocks the process, even the lock's holder. */
  readonly #inTurn = createSerialQueue()

  constructor(folder: string) {
    this.name = folder
    this.address = `file://${folder}`
    this.#folder = folder
  }

  async read(key: string, { known, from = 0 }: ReadOptions = {}): Promise<StoredObject | 'unchanged' | undefined> {
    const file = this.#fileOf(key)
    try {
      const etag = await this.#etagOf(file)
      if (etag === undefined) return undefined
      return etag === known ? 'unchanged' : { etag, from, body: createReadStream(file, { start: from }) }
    } catch (cause) {
      throw storeFailed(this.name, cause)
    }
  }

  async describe(key: string) {
    try {
      return await digestFile(this.#fileOf(key))
    } catch (cause) {
      if (hasErrorCode(cause, 'ENOENT')) return undefined
      throw storeFailed(this.name, cause)
    }
  }

  async list(prefix: string) {
    try {
      const entries = await readdir(this.#fileOf(prefix), { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
      return await Promise.all(
        files.map(async (file) => {
          const key = path.relative(this.#folder, file).replaceAll(path.sep, '/')
          return { key, changedAt: (await stat(file)).mtimeMs }
        }),
      )
    } catch (cause) {
      if (hasErrorCode(cause, 'ENOENT')) return []
      throw storeFailed(this.name, cause)
    }
  }

  async write(key: string, content: Content, condition: WriteCondition): Promise<string | undefined> {
    const target = this.#fileOf(key)
    // Process ids are not unique across machines.
    const unfinished = path.join(path.dirname(target), unfinishedPrefix + randomUUID())
    try {
      mkdirSync(path.dirname(target), { recursive: true })
      if (content instanceof Uint8Array) await writeFile(unfinished, content)
      else await copyFile(content.file, unfinished, constants.COPYFILE_FICLONE)
      syncPath(unfinished)
      const isWritten =
        condition === 'absent'
          ? await linkNew(unfinished, target)
          : await this.#inTurn(() => this.#replace(unfinished, target, condition.etag))
      if (!isWritten) return undefined
      syncPath(path.dirname(target))
      return await this.#etagOf(target)
    } catch (cause) {
      throw storeFailed(this.name, cause)
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.#fileOf(key), { force: true }).catch((cause: unknown) => {
      throw storeFailed(this.name, cause)
    })
  }

  #fileOf = (key: string): string => path.join(this.#folder, ...key.split('/'))

  /** Hash of small objects, size of large ones, which are never replaced. */
  async #etagOf(file: string): Promise<string | undefined> {
    const found = await stat(file).catch((error: unknown) => {
      if (hasErrorCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (!found) return undefined
    return found.size > 1_000_000
      ? `"${found.size}"`
      : `"${createHash('sha256').update(readFileSync(file)).digest('hex')}"`
  }

  /** Locks, so that two writers cannot interleave. */
  async #replace(unfinished: string, target: string, etag: string): Promise<boolean> {
    using lock = new DatabaseSync(path.join(this.#folder, 'lock.db'), { timeout: lockTimeoutMs })
    lock.exec('BEGIN EXCLUSIVE')
    if (!existsSync(target) || (await this.#etagOf(target)) !== etag) return false
    await rename(unfinished, target)
    return true
  }
}

/** False if the name is taken. */
async function linkNew(unfinished: string, target: string): Promise<boolean> {
  try {
    await link(unfinished, target)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false
    throw error
  }
}
