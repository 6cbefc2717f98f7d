import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

export const projectFolder = path.join(import.meta.dirname, '..')
/** The program in few files, which load in half the time. `npm ci` makes it. */
export const bundledProgram = path.join(projectFolder, '.cache', 'program')
/** The state of each source when it was bundled; written last. */
export const sourceStates = path.join(bundledProgram, 'sources.json')

/** Changes with every edit. Undefined if there is no such file. */
export function readState(file: string): string | undefined {
  const stats = statSync(path.join(projectFolder, file), { throwIfNoEntry: false })
  return stats && `${stats.size} ${stats.mtimeMs}`
}

/** Takes milliseconds. */
export function isBundleCurrent(): boolean {
  if (!existsSync(sourceStates)) return false
  const states: Record<string, unknown> = JSON.parse(readFileSync(sourceStates, 'utf8'))
  return Object.entries(states).every(([file, state]) => readState(file) === state)
}

if (import.meta.main) {
  await import(isBundleCurrent() ? path.join(bundledProgram, 'cli.js') : path.join(projectFolder, 'cli.ts'))
}
