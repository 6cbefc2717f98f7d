import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { guides } from '../pages/guides/guide-list.ts'

const project = path.join(import.meta.dirname, '..', '..')

/** Everything that the pages import (ARCHITECTURE.md) and the build itself. */
const folders = ['contract', 'render', 'sql', 'web']
const files = ['data/reference/events.json', 'package-lock.json', 'tsconfig.json', ...guides.map(({ file }) => file)]
const isBuildOutput = (file: string): boolean => /^web[\\/]built(\.new)?[\\/]/.test(file)

/** A hash of all sources of the pages; an equal hash means an equal build. */
export function hashSources(): string {
  const hash = createHash('sha256')
  const inFolders = [...folders, '.'].flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: folder !== '.', withFileTypes: true })
      .filter((entry) => entry.isFile() && (folder !== '.' || entry.name.endsWith('.ts')))
      .map((entry) => path.relative(project, path.join(entry.parentPath, entry.name))),
  )
  for (const file of [...files, ...inFolders.filter((one) => !isBuildOutput(one)).sort()]) {
    const content = readFileSync(path.join(project, file))
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
