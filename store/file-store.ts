import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { copyFile, link, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasErrorCode } from '#base/errors.ts'
import { createSerialQueue } from '#base/serial-queue.ts'
import { syncPath, unfinishedPrefix } from '#sql/files.ts'
import { isMissing, storeFailed } from './failures.ts'
import type { Content, ObjectStore, StoredObject, WriteCondition } from './object-store.ts'

/** Milliseconds for which a writer waits for another. */
const lockTimeoutMs = 10_000

/** Objects as files of a folder, which several machines may mount. */
export class FileStore implements ObjectStore {
  readonly name: string
  readonly address: string
  readonly #folder: string
  /** Who waits for the lock lets nothing else of this process run, not even who holds it. */
  readonly #inTurn = createSerialQueue()

  constructor(folder: string) {
    this.name = folder
    this.address = `file://${folder}`
    this.#folder = folder
  }

  async read(key: string, known?: string): Promise<StoredObject | 'unchanged' | undefined> {
    const file = this.#fileOf(key)
    try {
      const etag = await this.#etagOf(file)
      if (etag === undefined) return undefined
      return etag === known ? 'unchanged' : { etag, body: createReadStream(file) }
    } catch (cause) {
      throw storeFailed(this.name, cause)
    }
  }

  async write(key: string, content: Content, condition: WriteCondition): Promise<string | undefined> {
    const target = this.#fileOf(key)
    // Writers on several machines may have the same process id.
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
    try {
      rmSync(this.#fileOf(key), { force: true })
    } catch (cause) {
      throw storeFailed(this.name, cause)
    }
  }

  #fileOf = (key: string): string => path.join(this.#folder, ...key.split('/'))

  /** Small objects are told apart by what is in them; of large ones, which are never replaced, the length will do. */
  async #etagOf(file: string): Promise<string | undefined> {
    const found = await stat(file).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    })
    if (!found) return undefined
    return found.size > 1_000_000
      ? `"${found.size}"`
      : `"${createHash('sha256').update(readFileSync(file)).digest('hex')}"`
  }

  /** Two writers that look and then replace must not do it at once. */
  async #replace(unfinished: string, target: string, etag: string): Promise<boolean> {
    const lock = new DatabaseSync(path.join(this.#folder, 'lock.db'), { timeout: lockTimeoutMs })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      if (!existsSync(target) || (await this.#etagOf(target)) !== etag) return false
      await rename(unfinished, target)
      return true
    } finally {
      lock.close()
    }
  }
}

/** Gives a file its name unless there is one of that name. */
async function linkNew(unfinished: string, target: string): Promise<boolean> {
  try {
    await link(unfinished, target)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false
    throw error
  }
}
