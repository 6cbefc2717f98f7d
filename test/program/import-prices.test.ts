import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'

const folder = temporaryFolder('prices')
const dataDir = path.join(folder, 'data')
const file = path.join(folder, 'prices.csv')
afterAll(() => rmSync(folder, { recursive: true }))

function importing(...days: string[]): Promise<Outcome> {
  writeFileSync(file, ['date,open,high,low,close', ...days, ''].join('\n'))
  return coinstrata(['import', 'prices', file, '--data-dir', dataDir])
}

const stored = (): Promise<(string | null)[][]> =>
  rowsOf(`SELECT date, close, revision FROM '${dataDir}/raw/market/prices/**/*.parquet' ORDER BY date, revision`)

const good = ['2024-02-27,1,2,1,2', '2024-02-28,2,3,2,3', '2024-02-29,3,4,3,4', '2024-03-01,4,5,4,5']

describe('a price file', () => {
  it('is imported', async () => {
    const { exitCode, stdout, stderr } = await importing(...good.slice(0, 2))
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('2 days added')
  })

  it.each([
    ['a duplicate', ['2024-02-28,2,3,2,3', '2024-02-28,2,3,2,3'], 3, /2024-02-28 appears twice/],
    [
      'no order',
      ['2024-02-29,3,4,3,4', '2024-02-28,2,3,2,3', '2024-03-01,4,5,4,5'],
      3,
      /2024-02-28 comes after 2024-02-29/,
    ],
    ['a word for a number', ['2024-02-29,3,4,3,4', '2024-03-01,4,five,4,5'], 3, /high "five" is not a number/],
    ['a day that does not exist', ['2024-02-29,3,4,3,4', '2024-02-30,4,5,4,5'], 3, /"2024-02-30" is not a date/],
  ])('with %s is refused with its line and a cure, and stores nothing', async (_, days, line, message) => {
    const before = await stored()
    const { exitCode, stderr } = await importing(...days)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${file}, line ${line}: `)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/\[invalid_file\]\nWhat to do: \w+/)
    expect(await stored()).toEqual(before)
  })

  it('that is a folder is called so', async () => {
    const { exitCode, stderr } = await coinstrata(['import', 'prices', folder, '--data-dir', dataDir])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${folder} is a folder [invalid_file]\nWhat to do: name the file itself`)
  })

  it('goes on where the last one ended', async () => {
    const { exitCode, stdout, stderr } = await importing(...good)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('2 days added, 0 corrected, 2 already known')
    expect(await stored()).toEqual([
      ['2024-02-27', '2.0', '1'],
      ['2024-02-28', '3.0', '1'],
      ['2024-02-29', '4.0', '1'],
      ['2024-03-01', '5.0', '1'],
    ])
  })

  it('may have gaps, and the longest are listed with what takes their place', async () => {
    const days = Array.from({ length: 30 }, (_, i) => new Date(Date.UTC(2024, 2, 4 + 2 * i)).toISOString().slice(0, 10))
    const lines = [...days, '2024-05-10'].map((date) => `${date},4,5,4,5`)
    const { exitCode, stdout, stderr } = await importing(...lines)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('Missing days (39): 2024-03-02 to 2024-03-03 (2), 2024-03-05, 2024-03-07, ')
    expect(stdout).toContain('2024-05-02 to 2024-05-09 (8), and 11 shorter gaps.\n')
    expect(stdout).toContain('A missing day has the price of other sources, or else the close before it.')
  })
})
