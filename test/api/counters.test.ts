import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Counters } from '#api/limits/counters.ts'
import { temporaryDataDir } from './support/test-server.ts'

let folder: ReturnType<typeof temporaryDataDir>
let lines: string[]
const open = () =>
  new Counters(folder.dataDir, pino({ base: null }, { write: (line: string) => void lines.push(line) }))

beforeEach(() => {
  folder = temporaryDataDir()
  lines = []
})
afterEach(() => {
  vi.useRealTimers()
  folder.remove()
})

test('counts go on in memory while they cannot be saved, and are saved once they can be', () => {
  const counters = open()
  const days = counters.perDay()
  const other = new DatabaseSync(path.join(folder.dataDir, 'state', 'limits.db'))
  other.exec('BEGIN IMMEDIATE')
  days.increment('somebody')
  counters.save()
  expect(days.increment('somebody').hits).toBe(2)
  counters.save()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('counts of requests cannot be saved')
  other.exec('ROLLBACK')
  other.close()
  counters.save()
  expect(days.increment('somebody').hits).toBe(3)
  counters.close()

  const again = open()
  expect(again.perDay().increment('somebody').hits).toBe(4)
  again.close()
})

test('a clock that is set back leaves no window that ends in a year', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 11, 24) })
  const counters = open()
  const [minutes, days] = [counters.perMinute(), counters.perDay()]
  for (const policy of [minutes, days]) policy.increment('somebody')
  counters.save()
  vi.setSystemTime(Date.UTC(2026, 10, 20, 12))
  for (const policy of [minutes, days]) expect(policy.increment('somebody').hits).toBe(1)
  counters.close()

  const again = open()
  expect(again.perDay().increment('somebody')).toMatchObject({ hits: 2, windowEnds: Date.UTC(2026, 10, 21) })
  again.close()
})
