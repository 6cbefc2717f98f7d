import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { RowKeeper } from '#compute/live/keep-rows.ts'
import { digestFile } from '#sql/file-digest.ts'
import { publishedFolder } from '#sql/generation.ts'
import { keptFile, keptFolder, listKeptRows } from '#sql/kept-rows.ts'
import { withSession } from '#sql/session.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'

it('rows of a damaged file are never copied into a new one', async () => {
  const dataDir = temporaryFolder('kept-rows')
  const folder = keptFolder(publishedFolder(dataDir))
  const date = '2024-05-02'
  const time = `${date}T12:00:00Z`
  const hashes: string[] = []
  const base = { lastDay: parseDay(date) - 1, tip: { height: 0, hash: 'base' } }
  await withSession({ temporaryFolder: path.join(dataDir, 'tmp') }, async (connection) => {
    const keeper = new RowKeeper(connection, dataDir)
    const keep = async (height: number) => {
      hashes.push(`block-${height}`)
      const row = { date, hour: time, height, hash: `block-${height}`, time, price_time: null, updated_at: time }
      const days = Int32Array.from({ length: height + 1 }, () => parseDay(date))
      const published = `(SELECT 'base' AS hash, DATE '2024-05-01' AS date, 0 AS height)`
      await keeper.keep(row, [], { base, hashes, days }, published)
      const [kept] = listKeptRows(publishedFolder(dataDir)).days
      const file = path.join(folder, keptFile(kept!))
      expect((await digestFile(file)).sha256).toBe(kept!.sha256)
      return { file, heights: (await rowsOf(`SELECT height FROM '${file}' ORDER BY height`)).flat().map(Number) }
    }
    expect((await keep(1)).heights).toEqual([1])
    const { file, heights } = await keep(2)
    expect(heights).toEqual([1, 2])
    flipBit(file)
    expect((await keep(3)).heights).toEqual([3])
    expect((await keep(4)).heights).toEqual([3, 4])
    expect(readdirSync(folder).filter((name) => name.endsWith('.damaged'))).toHaveLength(1)
  })
})
