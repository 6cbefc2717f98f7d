import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import path from 'node:path'

/** Prefix of files and folders that are still being written; readers pass them over. */
export const unfinishedPrefix = '.tmp-'

/** The name under which `target` is written before it is renamed into place. */
export const unfinishedPath = (target: string): string =>
  path.join(path.dirname(target), `${unfinishedPrefix}${process.pid}-${path.basename(target)}`)

/** Puts a file in place whole, from one part or several: after a crash the old content stands there, or the new, never a part. */
export function replaceFile(target: string, ...content: readonly (string | Uint8Array)[]): void {
  const unfinished = unfinishedPath(target)
  const descriptor = openSync(unfinished, 'w')
  try {
    for (const part of content) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(unfinished, target)
  syncPath(path.dirname(target))
}

/** Puts a folder in place whole, once everything in it has reached the disk. */
export function publishFolder(unfinished: string, target: string): void {
  for (const name of readdirSync(unfinished)) syncPath(path.join(unfinished, name))
  syncPath(unfinished)
  renameSync(unfinished, target)
  syncPath(path.dirname(target))
}

/** Makes a link lead to another name in its folder, by one rename. */
export function switchLink(link: string, name: string): void {
  const unfinished = unfinishedPath(link)
  rmSync(unfinished, { force: true })
  symlinkSync(name, unfinished)
  renameSync(unfinished, link)
  syncPath(path.dirname(link))
}

/** Waits until a file's content, or a folder's list of names, has reached the disk. */
export function syncPath(target: string): void {
  const descriptor = openSync(target, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Removes what killed runs left unfinished in a folder. Only the holder of the data folder's lock may do this. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(unfinishedPrefix)) rmSync(path.join(folder, name), { recursive: true, force: true })
  }
}
