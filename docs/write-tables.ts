import { readFileSync } from 'node:fs'
import { replaceFile } from '#sql/files.ts'
import { withFirstRun } from './first-run.ts'
import { tablesPage, withTables } from './tables-page.ts'

const readmeFile = new URL('../README.md', import.meta.url).pathname

replaceFile(new URL('tables.md', import.meta.url).pathname, tablesPage())
replaceFile(readmeFile, withFirstRun(withTables(readFileSync(readmeFile, 'utf8'))))
