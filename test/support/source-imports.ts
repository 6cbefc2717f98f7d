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

/** The files of this project that a file needs to run or to be type-checked. */
export function importsOf(file: string): string[] {
  const names = [...sourceText(file).matchAll(moduleNames)].map(([, ...groups]) => groups.find((name) => name) ?? '')
  const own = names.filter((name) => /^[.#]/.test(name))
  return [...new Set(own.map((name) => resolve(file, name)))]
}

function resolve(file: string, name: string): string {
  if (name.startsWith('.')) return path.posix.join(path.posix.dirname(file), name)
  return name.replace(/^#(root\/)?/, '')
}
