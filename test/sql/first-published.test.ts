import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noteLostMonths } from '#compute/publish/first-published-table.ts'
import { firstPublishedFolder } from '#sql/first-published.ts'
import { rollBackToGeneration, switchToGeneration } from '#sql/generation.ts'
import { addFirstValues, appendFirstValues, firstValuesOf } from '#test/support/first-values.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'
import { january, publishTwice } from './published-twice.ts'

const folder = temporaryFolder('first-published')
const published = path.join(folder, 'published-once')
let dataDir = ''
let copies = 0
const monthFile = (month: string): string => path.join(firstPublishedFolder(dataDir), `${month}.parquet`)
const names = (): string[] => readdirSync(firstPublishedFolder(dataDir)).sort()

beforeAll(() => publishTwice(published))
beforeEach(() => {
  dataDir = path.join(folder, `copy-${copies++}`)
  cpSync(published, dataDir, { recursive: true, verbatimSymlinks: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('first published values', () => {
  test('are those of the first generation that had them, by month, and no later one changes them', async () => {
    await appendFirstValues(dataDir)
    expect(await firstValuesOf(dataDir)).toEqual(january)
    await publishSmallGeneration(dataDir, 'g3', { created_at: '2024-02-02T01:00:00Z', last_date: '2024-02-01' })
    await addFirstValues(dataDir, 'g3', [
      ['price', '2024-01-31', 1],
      ['price', '2024-02-01', 397],
    ])
    const before = readFileSync(monthFile('2024-01'))
    await appendFirstValues(dataDir)
    expect(await firstValuesOf(dataDir)).toEqual([january[0], january[1], 'price 2024-02-01 397.0 g3', january[2]])
    expect(readFileSync(monthFile('2024-01')).equals(before)).toBe(true)
    const after = readFileSync(monthFile('2024-02'))
    await appendFirstValues(dataDir)
    expect(readFileSync(monthFile('2024-02')).equals(after)).toBe(true)
  })

  test('are known when their generations are gone, or a rollback went behind them', async () => {
    await appendFirstValues(dataDir)
    mkdirSync(path.join(dataDir, 'state'))
    rollBackToGeneration(dataDir, 'g1')
    await appendFirstValues(dataDir)
    rmSync(path.join(dataDir, 'published'), { recursive: true })
    expect(await firstValuesOf(dataDir)).toEqual(january)
  })

  test('do not include those of a generation that has not become current', async () => {
    switchToGeneration(dataDir, 'g1')
    await appendFirstValues(dataDir)
    expect(await firstValuesOf(dataDir)).toEqual([january[1], january[2]])
  })

  test('that a disk damages are set aside, and later ones are added without them', async () => {
    await appendFirstValues(dataDir)
    const whole = readFileSync(monthFile('2024-01'))
    for (const at of [10, Math.floor(whole.length / 2), whole.length - 6]) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1
      writeFileSync(monthFile('2024-01'), damaged)
      await appendFirstValues(dataDir)
      expect(names(), `byte ${at}`).toEqual(['2024-01.parquet', '2024-01.parquet.damaged'])
      expect(readFileSync(`${monthFile('2024-01')}.damaged`).equals(damaged)).toBe(true)
      expect(noteLostMonths(dataDir)).toEqual([expect.stringContaining('2024-01.parquet.damaged is damaged')])
      // The generations that are kept still have all rows here.
      expect(await firstValuesOf(dataDir)).toEqual(january)
    }
    // A copy from a backup beside it counts too.
    writeFileSync(path.join(firstPublishedFolder(dataDir), '2024-01-restored.parquet'), whole)
    rmSync(monthFile('2024-01'))
    await appendFirstValues(dataDir)
    expect(names()).toEqual(['2024-01-restored.parquet', '2024-01.parquet.damaged'])
    expect(await firstValuesOf(dataDir)).toEqual(january)
  })

  test('are not taken from a damaged generation', async () => {
    flipBit(path.join(dataDir, 'published', 'g2', 'first_published.parquet'), 20)
    await appendFirstValues(dataDir)
    expect(await firstValuesOf(dataDir)).toEqual([january[1], january[2]])
  })
})
