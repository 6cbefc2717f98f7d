import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/** The text of a file of this project. */
export const sourceText = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** What is not ours, or made by running: the folders of .gitignore, and those whose name begins with a dot. */
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
 * Import and export statements, `import()` also as a type, and the addresses of worker files. No quote stands between
 * the keyword and the name of the module, so this needs no parser.
 */
const moduleNames =
  /(?:^|\n)(?:import|export)\b[^'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|\bnew URL\(\s*['"]([^'"]+\.ts)['"]/g

/** Those statements that load a module before anything of the file runs. */
const loadedAtOnce =
  /(?:^|\n)(?:import|export)\b(?!\s+type\b)[^'"`]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]/g

/** The files of this project that a file needs to run or to be type-checked. */
export const importsOf = (file: string): string[] => matchesIn(file, moduleNames)

/** The files of this project that are loaded with a file, it among them: not what it loads later, by `import()`. */
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
