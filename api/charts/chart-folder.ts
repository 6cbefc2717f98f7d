import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from '#base/log.ts'
import { unfinishedName, unfinishedPrefix } from '#sql/files.ts'

/** How long a chart can be fetched after it was last asked for, in milliseconds. */
export const renderLifetime = 3_600_000
const sweptEvery = 60_000
/** What is oldest goes first where more is asked for within the hour than may lie on the disk. */
const mostBytes = 2 * 2 ** 30
/** Some room is made at a time, as looking through the folder takes time. */
const roomyBytes = mostBytes - mostBytes / 8
/** Of what other machines may ask for, which stays where it is for longer than an hour after it was last told of. */
export const sharedLifetime = 1.5 * renderLifetime

interface Swept {
  /** Names of all files that are left. */
  readonly onSwept: (kept: ReadonlySet<string>) => void
  /** The id of a chart that other machines may no longer ask for. */
  readonly onShareEnded: (id: string) => void
}

/**
 * The files of charts, each named by the id of its chart and what it is: `chart`, `png`, `svg`, `shared`. They lie for an hour after
 * they were last asked for, and for less where more is asked for than may lie on the disk.
 */
export class ChartFolder {
  readonly #folder: string
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  readonly #swept: Swept
  /** What the last sweep found, and what was written since. */
  #bytes = 0

  constructor(folder: string, log: Logger, swept: Swept) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#log = log
    this.#swept = swept
    this.#tidy()
    this.#timer = setInterval(() => this.#tidy(), sweptEvery).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, name)
    const write = () => writeFile(unfinishedName(file), bytes)
    await write().catch(async (error) => {
      absent(error)
      await mkdir(this.#folder, { recursive: true })
      await write()
    })
    await rename(unfinishedName(file), file)
    this.#bytes += bytes.length
    if (this.#bytes > mostBytes) this.#tidy()
  }

  async read(name: string): Promise<Buffer | undefined> {
    if (!(await this.isFresh(name))) return undefined
    return readFile(path.join(this.#folder, name)).catch(absent)
  }

  async isFresh(name: string, lifetime = renderLifetime): Promise<boolean> {
    const found = await stat(path.join(this.#folder, name)).catch(absent)
    return found !== undefined && found.mtimeMs + lifetime > Date.now()
  }

  /** Begins the hour of files of a chart anew, where they are; false where the first is gone. */
  async renew(id: string, kinds: readonly string[]): Promise<boolean> {
    const now = new Date()
    const renewed = kinds.map((kind) =>
      utimes(path.join(this.#folder, `${id}.${kind}`), now, now).then(() => true, absent),
    )
    return (await Promise.all(renewed))[0] === true
  }

  /** The service lives on where old charts cannot be removed. */
  #tidy(): void {
    try {
      this.#swept.onSwept(this.#sweep())
    } catch (error) {
      this.#log.error({ err: error, folder: this.#folder }, 'old charts cannot be removed')
    }
  }

  #sweep(): ReadonlySet<string> {
    mkdirSync(this.#folder, { recursive: true })
    const files = readdirSync(this.#folder).flatMap((name) => {
      const file = path.join(this.#folder, name)
      // What is being written may have been renamed since.
      const found = statSync(file, { throwIfNoEntry: false })
      return found ? [{ file, name, mtimeMs: found.mtimeMs, size: found.size }] : []
    })
    files.sort((one, other) => other.mtimeMs - one.mtimeMs)
    const total = files.reduce((sum, { size }) => sum + size, 0)
    const most = total > mostBytes ? roomyBytes : mostBytes
    const now = Date.now()
    const kept = new Set<string>()
    let [newerBytes, keptBytes] = [0, 0]
    for (const { file, name, mtimeMs, size } of files) {
      newerBytes += size
      const isShared = name.endsWith('.shared')
      const isOld = mtimeMs + (isShared ? sharedLifetime : renderLifetime) <= now
      if (isOld && isShared) this.#swept.onShareEnded(path.parse(name).name)
      if (isOld || (newerBytes > most && !name.startsWith(unfinishedPrefix))) {
        rmSync(file, { force: true })
        continue
      }
      kept.add(name)
      keptBytes += size
    }
    this.#bytes = keptBytes
    return kept
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
