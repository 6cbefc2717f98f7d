import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/** The content of a project file. */
export const sourceText = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Folders of .gitignore, and those whose name begins with a dot. */
const foreign = /^(\..*|node_modules|dist|coverage|data)$/

/** Every TypeScript file, as `room/wing/file.ts`. */
export function sourceFiles(folder = ''): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return folder === '' && foreign.test(entry.name) ? [] : sourceFiles(name)
    return /\.tsx?$/.test(entry.name) ? [name] : []
  })
}

/**
 * Matches imports and exports, `import()` also as a type, and worker URLs. There is no quote
 * between the keyword and the module name, so no parser is needed.
 */
const moduleNames =
  /(?:^|\n)(?:import|export)\b[^'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|\bnew URL\(\s*['"]([^'"]+\.ts)['"]/g

/** Matches statements that load a module before the file runs. */
const loadedAtOnce =
  /(?:^|\n)(?:import|export)\b(?!\s+type\b)[^'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]/g

/** The project files that a file needs to run or to be type-checked. */
export const importsOf = (file: string): string[] => matchesIn(file, moduleNames)

/**
 * The project files that are loaded with a file, including itself but not what it loads later by
 * `import()`.
 */
export function loadedWith(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !/\.tsx?$/.test(file)) return found
  found.add(file)
  for (const target of matchesIn(file, loadedAtOnce)) loadedWith(target, found)
  return found
}

function matchesIn(file: string, modules: RegExp): string[] {
  const names = [...sourceText(file).matchAll(modules)].map(([, ...groups]) => groups.find((name) => name) ?? '')
  const own = names.filter((name) => /^[.#]/.test(name))
  return [...new Set(own.map((name) => resolve(file, name)))]
}

function resolve(file: string, name: string): string {
  if (name.startsWith('.')) return path.posix.join(path.posix.dirname(file), name)
  return name.replace(/^#(root\/)?/, '')
}
