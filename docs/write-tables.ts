import { readFileSync } from 'node:fs'
import { replaceFile } from '#sql/files.ts'
import { withFirstRun } from './first-run.ts'
import { galleryPages } from './gallery-page.ts'
import { tablesPage, withDayHashes, withTables } from './tables-page.ts'

const toPath = (name: string): string => new URL(name, import.meta.url).pathname
const rewrite = (file: string, change: (page: string) => string): void =>
  replaceFile(file, change(readFileSync(file, 'utf8')))

replaceFile(toPath('tables.md'), tablesPage())
for (const [name, page] of Object.entries(galleryPages)) replaceFile(toPath(name), page())
rewrite(toPath('analyse.md'), withTables)
rewrite(toPath('verification.md'), withDayHashes)
rewrite(toPath('../README.md'), withFirstRun)
