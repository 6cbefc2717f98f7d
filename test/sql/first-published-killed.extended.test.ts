import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { addFirstValues, appendFirstValues, firstValuesOf } from '#test/support/first-values.ts'
import { startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { trials } from '#test/support/trials.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { january, publishTwice } from './published-twice.ts'

const folder = temporaryFolder('first-published-killed')
afterAll(() => rmSync(folder, { recursive: true }))

test('first published values are complete after a kill before every second operation on files, each once', async () => {
  const killer = path.join(import.meta.dirname, '../support/kill-at.ts')
  const program = path.join(import.meta.dirname, 'append-first-published.ts')
  const begun = path.join(folder, 'begun')
  await publishTwice(begun)
  await appendFirstValues(begun)
  await publishSmallGeneration(begun, 'g3', { created_at: '2024-02-02T01:00:00Z', last_date: '2024-02-01' })
  await addFirstValues(begun, 'g3', [
    ['price', '2024-02-01', 397],
    ['secret_price', '2024-01-31', 3],
  ])
  const later = ['price 2024-02-01 397.0 g3', 'secret_price 2024-01-31 3.0 g3']
  const all = [...january, ...later].sort()
  const seen = new Set<string>()
  for (let killAt = 1, isKilled = true; isKilled; killAt += trials(2, 1)) {
    const dataDir = path.join(folder, `killed-${killAt}`)
    cpSync(begun, dataDir, { recursive: true, verbatimSymlinks: true })
    const options = { program, nodeArguments: ['--import', killer], environment: { KILL_AT: String(killAt) } }
    const { exitCode, stderr } = await startCoinstrata([dataDir], options).outcome
    isKilled = exitCode === null
    if (!isKilled) expect(exitCode, stderr).toBe(0)
    // A file has its new rows or not yet, and never half of them.
    const rows = await firstValuesOf(dataDir)
    expect(rows).toEqual(expect.arrayContaining(january))
    seen.add(rows.filter((row) => !january.includes(row)).join())
    await appendFirstValues(dataDir)
    expect(await firstValuesOf(dataDir)).toEqual(all)
  }
  expect(seen.size).toBe(3)
  expect([...seen]).toEqual(expect.arrayContaining(['', later.join()]))
})
