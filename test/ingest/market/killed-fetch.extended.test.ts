import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isoDate, msPerDay, parseDay } from '#base/days.ts'
import { tables } from '#ingest/market/observations.ts'
import { storedInstants } from '#ingest/market/store.ts'
import { withSession } from '#sql/session.ts'
import { trials } from '#test/support/trials.ts'
import { holdingsFile } from './fake-funds.ts'
import { addressed, serve } from './fake-server.ts'
import { now } from './fake-venues.ts'

const child = path.join(import.meta.dirname, 'fetch-child.ts')
const storeIntervalMs = 250
const kills = trials(2, 10)
/**
 * A store operation and the answer before it may be under way besides; this machine may be busy.
 */
const slack = 1_500

const isBusinessDay = (date: number): boolean => ![0, 6].includes(new Date(date * msPerDay).getUTCDay())

test(`a first fetch that is killed at ${kills} moments loses the work of its last moments, and goes on from there`, async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-killed-'))
  const served: { date: number; at: number }[] = []
  const server = await serve(async ({ query }) => {
    await sleep(4)
    const asked = query.get('asOfDate')?.replace(/^(\d{4})(\d\d)/, '$1-$2-') ?? '2026-11-19'
    served.push({ date: parseDay(asked), at: performance.now() })
    return { body: Buffer.from(holdingsFile(asked, 800_000)) }
  })
  const env = addressed('ishares', server.url)
  const options = { dataDir, env, sources: ['ishares'], now, storeIntervalMs }
  const storedDays = async (): Promise<number[]> => {
    const instants = await withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, (connection) =>
      storedInstants(connection, dataDir, tables.etf, 'ishares', { ticker: 'IBIT' }),
    )
    return instants.map((instant) => instant / msPerDay)
  }
  /** Fetches until `killAfter` milliseconds after the first answer, or to the end. */
  const run = async (killAfter?: number): Promise<number> => {
    served.length = 0
    const started = spawn(process.execPath, [child, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const exited = once(started, 'exit')
    if (killAfter !== undefined) {
      while (served.length === 0) await sleep(5)
      await sleep(killAfter)
      started.kill('SIGKILL')
    }
    const killedAt = performance.now()
    await exited
    return killedAt
  }
  try {
    let before: number[] = []
    let requests = 0
    for (let kill = 0; kill < kills; kill++) {
      const killedAt = await run(100 + (470 * kill) / kills)
      requests += served.length
      const days = await storedDays()
      const lost = served.filter(({ date, at }) => at < killedAt - storeIntervalMs - slack && !days.includes(date))
      expect(lost).toEqual([])
      expect(served.filter(({ date }) => !days.includes(date)).length).toBeLessThanOrEqual(60)
      // It goes on where the stored days end, but for the three that are always asked for again.
      expect(served[0]!.date).toBeGreaterThanOrEqual((before.at(-1) ?? parseDay('2024-01-11')) - 3)
      expect(days.slice(0, before.length)).toEqual(before)
      before = days
    }
    expect(before.length).toBeGreaterThan(0)
    await run()
    const whole = Array.from(
      { length: parseDay('2026-11-19') - parseDay('2024-01-11') + 1 },
      (_, i) => parseDay('2024-01-11') + i,
    )
    expect((await storedDays()).map(isoDate)).toEqual(whole.filter(isBusinessDay).map(isoDate))
    expect(requests).toBeGreaterThan(kills)
  } finally {
    await server.close()
    rmSync(dataDir, { recursive: true })
  }
})
