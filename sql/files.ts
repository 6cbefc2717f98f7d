import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { hasErrorCode } from '#base/errors.ts'

/** Prefix of unfinished files and folders, which readers ignore. */
export const unfinishedPrefix = '.tmp-'

/** Temporary path of `target`, to rename into place. */
export const unfinishedPath = (target: string): string =>
  path.join(path.dirname(target), `${unfinishedPrefix}${process.pid}-${path.basename(target)}`)

/** Replaces a file atomically: a crash leaves the old content or the new. */
export function replaceFile(target: string, content: string | Uint8Array): void {
  const unfinished = unfinishedPath(target)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(unfinished, content)
  publishFile(unfinished, target)
}

/**
 * Syncs a file to the disk and moves it into place. Files of an unfinished folder are not synced
 * here, but by `publishFolder`: a crash before it loses the folder anyway.
 */
export function publishFile(unfinished: string, target: string): void {
  const folder = path.dirname(target)
  const isPart = path.basename(folder).startsWith(`${unfinishedPrefix}${process.pid}-`)
  if (!isPart) syncPath(unfinished)
  renameSync(unfinished, target)
  if (!isPart) syncPath(folder)
}

/** Syncs a folder's files to the disk and moves it into place. */
export function publishFolder(unfinished: string, target: string): void {
  for (const name of readdirSync(unfinished)) syncPath(path.join(unfinished, name))
  publishFile(unfinished, target)
}

/** Points a symbolic link to another name in its folder, atomically. */
export function switchLink(link: string, name: string): void {
  const unfinished = unfinishedPath(link)
  rmSync(unfinished, { force: true })
  symlinkSync(name, unfinished)
  renameSync(unfinished, link)
  syncPath(path.dirname(link))
}

/** Target of a symbolic link, which need not exist; undefined without the link. */
export function readLink(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Syncs a file's content or a folder's entries to the disk. */
export function syncPath(target: string): void {
  const descriptor = openSync(target, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Removes unfinished files of killed runs. Requires the lock of the data folder. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(unfinishedPrefix)) rmSync(path.join(folder, name), { recursive: true, force: true })
  }
}
