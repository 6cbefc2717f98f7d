import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tables } from '#contract/tables/tables.ts'
import { today } from '#contract/tables/today.ts'
import { tablesPage, withDayHashes, withTables } from '#root/docs/tables-page.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const page = read('docs/tables.md')

test('docs/tables.md is what `npm run docs:text` writes now', () => {
  const cure =
    'run "npm run docs:text"; a name or type that changed breaks readers: that is a major version, and said first in its section of CHANGELOG.md'
  expect(page === tablesPage(), cure).toBe(true)
})

test('docs/analyse.md lists the tables as `npm run docs:text` writes them now', () => {
  const analyse = read('docs/analyse.md')
  expect(withTables(analyse) === analyse, 'run "npm run docs:text"').toBe(true)
})

test('docs/verification.md has the statement of `day_hashes` as `npm run docs:text` writes it now', () => {
  const verification = read('docs/verification.md')
  expect(verification).toContain('WHERE date BETWEEN')
  expect(withDayHashes(verification) === verification, 'run "npm run docs:text"').toBe(true)
})

test('it can be read at once', () => {
  expect(Buffer.byteLength(page), 'describe families of columns, and link docs/metrics').toBeLessThan(60_000)
})

test('every table and every declared column is found in it', () => {
  const missing = [...Object.values(tables), today].flatMap(({ name, columns }) =>
    [name, ...Object.keys(columns)].filter((word) => !page.includes(`\`${word}\``)),
  )
  expect(missing).toEqual([])
})
