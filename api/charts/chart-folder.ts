import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { hasErrorCode } from '#base/errors.ts'
import type { Logger } from '#base/log.ts'
import { unfinishedPath, unfinishedPrefix } from '#sql/files.ts'

/** Since the last request for the chart. */
export const chartLifetimeMs = 3_600_000
const sweepIntervalMs = 60_000
/** Beyond it the oldest files are removed. */
const maxBytes = 2 * 2 ** 30
/** Frees some room at once: reading the folder takes time. */
const sweptBytes = maxBytes - maxBytes / 8
/** At the end of each file. */
const checksumBytes = 4
/** Since they were last offered to other machines. */
export const sharedLifetimeMs = 1.5 * chartLifetimeMs

interface SweepEvents {
  /** With the names of all remaining files. */
  readonly onSwept: (kept: ReadonlySet<string>) => void
  /** With the id of a chart that other machines may no longer request. */
  readonly onShareEnded: (id: string) => void
}

/**
 * Files are named `<chart id>.<kind>`: `chart`, `png`, `svg`, `csv`, `rows`, `spec`, `shared`. They
 * are kept for an hour after the last request, less beyond `maxBytes`.
 */
export class ChartFolder {
  readonly #folder: string
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  readonly #swept: SweepEvents
  /** As of the last sweep, plus later writes. */
  #bytes = 0

  constructor(folder: string, log: Logger, swept: SweepEvents) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
    this.#log = log
    this.#swept = swept
    this.#tidy()
    this.#timer = setInterval(() => this.#tidy(), sweepIntervalMs).unref()
  }

  clear(): void {
    this.#tidy(Number.POSITIVE_INFINITY)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, name)
    const write = () => writeFile(unfinishedPath(file), [bytes, checksumOf(bytes)], { mode: 0o600 })
    await write().catch(async (error) => {
      absent(error)
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await write()
    })
    await rename(unfinishedPath(file), file)
    this.#bytes += bytes.length
    if (this.#bytes > maxBytes) this.#tidy()
  }

  /** Removes a damaged file, which is drawn again. */
  async read(name: string): Promise<Buffer | undefined> {
    if (!(await this.isFresh(name))) return undefined
    const file = path.join(this.#folder, name)
    const stored = await readFile(file).catch(absent)
    const bytes = stored?.subarray(0, -checksumBytes)
    if (!stored || !bytes || stored.subarray(bytes.length).equals(checksumOf(bytes))) return bytes
    await rm(file, { force: true })
    return undefined
  }

  async isFresh(name: string, lifetime = chartLifetimeMs): Promise<boolean> {
    const found = await stat(path.join(this.#folder, name)).catch(absent)
    return found !== undefined && found.mtimeMs + lifetime > Date.now()
  }

  /** Restarts the hour of its files; false if the first one is gone. */
  async renew(id: string, kinds: readonly string[]): Promise<boolean> {
    const now = new Date()
    const renewed = kinds.map((kind) =>
      utimes(path.join(this.#folder, `${id}.${kind}`), now, now).then(() => true, absent),
    )
    return (await Promise.all(renewed))[0] === true
  }

  /** Logs failures: the service can continue with old files. */
  #tidy(now = Date.now()): void {
    try {
      this.#swept.onSwept(this.#sweep(now))
    } catch (error) {
      this.#log.error({ err: error, folder: this.#folder }, 'old charts cannot be removed')
    }
  }

  #sweep(now: number): ReadonlySet<string> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const files = readdirSync(this.#folder).flatMap((name) => {
      const file = path.join(this.#folder, name)
      // A file being written may have been renamed since.
      const found = statSync(file, { throwIfNoEntry: false })
      return found ? [{ file, name, mtimeMs: found.mtimeMs, size: found.size }] : []
    })
    files.sort((one, other) => other.mtimeMs - one.mtimeMs)
    const total = files.reduce((sum, { size }) => sum + size, 0)
    const maxTotalBytes = total > maxBytes ? sweptBytes : maxBytes
    const kept = new Set<string>()
    const isUnfinished = (name: string): boolean => name.startsWith(unfinishedPrefix)
    let [newerBytes, keptBytes] = [0, 0]
    for (const { file, name, mtimeMs, size } of files) {
      newerBytes += size
      const isShared = name.endsWith('.shared')
      const isOld = mtimeMs + (isShared ? sharedLifetimeMs : chartLifetimeMs) <= (isUnfinished(name) ? Date.now() : now)
      if (isOld && isShared) this.#swept.onShareEnded(path.parse(name).name)
      if (isOld || (newerBytes > maxTotalBytes && !isUnfinished(name))) {
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

function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(checksumBytes)
  checksum.writeUInt32LE(crc32(bytes))
  return checksum
}

function absent(error: unknown): undefined {
  if (hasErrorCode(error, 'ENOENT')) return undefined
  throw error
}
