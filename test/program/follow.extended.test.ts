import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration } from '#sql/generation.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { expectHoursAddUp } from '#test/support/hour-sums.ts'
import { startCoinstrata } from '#test/support/program.ts'
import { trials } from '#test/support/trials.ts'
import { dayLength, live, type TextRow, useFollowedChain } from './support/followed-chain.ts'

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('the open day of a chain that a real node makes', { timeout: 600_000 }, () => {
  useFollowedChain(bitcoind!)

  it('is after its last block what the nightly run publishes of it, in every column', async () => {
    const first = live.chain.height + 1
    const rows = await live.follow(14)
    live.expectVaried(rows, 3, 1)
    await live.expectAsPublished(rows)
    for (let i = 0; i < trials(1, 6); i++) await live.expectAsPublished(await live.follow(10))
    expect(await live.expectKeptAsPublished()).toBeGreaterThan(trials(7, 30))
    const everyBlock = await live.keptRows(live.keptFiles('blocks'))
    const lastDay = Date.parse(everyBlock.at(-1)!.date!)
    for (const { date } of everyBlock) expect(Date.parse(date!)).toBeGreaterThan(lastDay - 14 * dayLength)
    const heights = everyBlock.map(({ height }) => Number(height))
    expect(heights).toEqual(heights.map((_, i) => live.chain.height - heights.length + 1 + i))
    const hourly = await live.keptRows(live.keptFiles('hours'))
    expect(new Set(hourly.map(({ hour }) => hour)).size).toBe(hourly.length)
    expect(hourly.length).toBeLessThan(heights[0]! - first)
    const added = await expectHoursAddUp(live.dataDir)
    expect(added.hours).toBeGreaterThan(100)
    expect(currentGeneration(live.dataDir)?.generation.prices?.pricing.hourly?.days).toBeGreaterThan(5)
  })

  it('is corrected by a reorganisation, also by one of days that are published, where coins are valued by closes', async () => {
    live.pricing = 'daily'
    await live.update()
    expect(currentGeneration(live.dataDir)?.generation.prices?.pricing.hourly).toBeNull()
    const corrected = async (depth: number): Promise<void> => {
      await live.followed(async (publish) => {
        await publish()
        const before = await live.todayRow()
        const tip = await live.chain.reorganise(depth)
        await publish()
        const after = await live.todayRow()
        expect(after.as_of_hash).toBe(tip.hash)
        expect(after).not.toEqual(before)
        await live.expectKeptOnChain()
        // One who never saw the other branch says the same.
        await live.followed((publishAnew) => publishAnew())
        expect({ ...(await live.todayRow()), updated_at: null }).toEqual({ ...after, updated_at: null })
      })
    }
    await corrected(2)
    await corrected(25)
    // One that nobody followed, before and after a publication of its days.
    await live.chain.grow(3)
    await live.followed((publish) => publish())
    await live.chain.reorganise(2)
    await live.followed((publish) => publish())
    await live.expectKeptOnChain()
    await live.chain.grow(3)
    await live.followed((publish) => publish())
    await live.chain.reorganise(2)
    await live.importCloses()
    await live.update()
    await live.followed((publish) => publish())
    await live.expectKeptOnChain()
    await live.expectAsPublished(await live.follow(10))
  })

  it('keeps the rows that were written when the process that follows is killed', async () => {
    const killer = path.join(import.meta.dirname, '../support/kill-at.ts')
    /** The last row of each hour: the others may have been thinned since. */
    const lastOfHours = (rows: readonly TextRow[]) => [...new Map(rows.map((row) => [row.hour, row])).values()]
    let written = lastOfHours(await live.keptRows())
    let isPublished = false
    for (let operation = 1; !isPublished; operation += trials(20, 1)) {
      const { hash } = await live.chain.grow(1)
      const program = startCoinstrata(['follow', '--data-dir', live.dataDir, ...live.source()], {
        environment: { KILL_AT: String(operation) },
        nodeArguments: ['--import', killer],
      })
      let hasEnded = false
      const ended = program.outcome.then(() => {
        hasEnded = true
      })
      while (!hasEnded && !isPublished) {
        await Promise.race([ended, sleep(100)])
        isPublished = (await live.todayRow()).as_of_hash === hash
      }
      program.process.kill('SIGKILL')
      await ended
      for (const file of [...live.keptFiles('blocks'), ...live.keptFiles('hours')])
        expect(file).toContain((await digestFile(file)).sha256)
      const now = await live.keptRows()
      const heights = new Map(now.map(({ height, hash }) => [hash, height]))
      const hours = new Set(now.slice(-1).map(({ hour }) => hour))
      const lost = written.filter(({ hash, hour }) => !heights.has(hash!) && !hours.has(hour!))
      expect(lost.map(({ height }) => height)).toEqual([])
      written = lastOfHours(now)
    }
    await live.expectKeptOnChain()
  })
})
