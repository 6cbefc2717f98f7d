import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { openStore } from '#store/open-store.ts'
import { publishToStore } from '#store/publish.ts'
import { Puller } from '#store/pull.ts'
import { addFirstValues, appendFirstValues, firstValuesOf } from '#test/support/first-values.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'

const folder = temporaryFolder('store-first')
afterAll(() => rmSync(folder, { recursive: true }))

test('who pulls gets what each generation published first, and who joins late that of those that the store keeps', async () => {
  const [writer, reader, late] = ['writer', 'reader', 'late'].map((name) => path.join(folder, name))
  const store = await openStore(pathToFileURL(path.join(folder, 'store')).href)
  const puller = new Puller(store, reader!)
  const days = ['2024-01-31', '2024-02-01', '2024-02-02', '2024-02-03', '2024-02-04']
  for (const [i, date] of days.entries()) {
    await publishSmallGeneration(writer!, `g${i}`, { last_date: date })
    if (i > 0) await addFirstValues(writer!, `g${i}`, [['price', date, i]])
    await appendFirstValues(writer!)
    await publishToStore(store, writer!, { now: () => Date.UTC(2026, 0, i + 1), graceMs: 1 })
    await puller.pull()
    expect(existsSync(firstPublishedFolder(reader!))).toBe(i > 0)
  }
  const all = await firstValuesOf(writer!)
  expect(all).toHaveLength(4)
  expect(await firstValuesOf(reader!)).toEqual(all)
  await new Puller(store, late!).pull()
  expect(await firstValuesOf(late!)).toEqual(all.slice(1))
})
