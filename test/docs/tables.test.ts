import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tables } from '#contract/tables/tables.ts'
import { today } from '#contract/tables/today.ts'
import { tablesPage, withTables } from '#root/docs/tables-page.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const page = read('docs/tables.md')

test('docs/tables.md is what `npm run docs:text` writes now', () => {
  expect(page === tablesPage(), 'run "npm run docs:text"').toBe(true)
})

test('README lists the tables as `npm run docs:text` writes them now', () => {
  const readme = read('README.md')
  expect(withTables(readme) === readme, 'run "npm run docs:text"').toBe(true)
})

test('it can be read at once', () => {
  expect(Buffer.byteLength(page), 'describe families of columns, and link docs/metrics.md').toBeLessThan(60_000)
})

test('every table and every declared column is found in it', () => {
  const missing = [...Object.values(tables), today].flatMap(({ name, columns }) =>
    [name, ...Object.keys(columns)].filter((word) => !page.includes(`\`${word}\``)),
  )
  expect(missing).toEqual([])
})

test('every link leads to a place that is there', () => {
  const metrics = read('docs/metrics.md')
  const links = [...page.matchAll(/\]\((metrics\.md)?#([^)]+)\)/g)]
  expect(links.length).toBeGreaterThan(25)
  for (const [link, file, place = ''] of links) {
    const target = file ? metrics : page
    const isHeading = new RegExp(`^## ${place}$`, 'im').test(target)
    expect(isHeading || target.includes(`<a id="${place}">`), link).toBe(true)
  }
})
