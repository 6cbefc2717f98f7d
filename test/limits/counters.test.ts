import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAttempts } from '#limits/attempts.ts'
import { accountCaller, Counters, formatUse } from '#limits/counters.ts'
import type { PolicyCounters } from '#limits/policy-counters.ts'
import type { Count } from '#limits/shared-counts.ts'
import { temporaryDataDir } from '../api/support/test-server.ts'

let folder: ReturnType<typeof temporaryDataDir>
let lines: string[]
const open = () =>
  new Counters(folder.dataDir, pino({ base: null }, { write: (line: string) => void lines.push(line) }))

function counted(policy: PolicyCounters, caller = 'somebody'): Count {
  const count = policy.of(caller)
  count.add()
  return count
}

beforeEach(() => {
  folder = temporaryDataDir()
  lines = []
})
afterEach(() => {
  vi.useRealTimers()
  folder.remove()
})

test('counts go on in memory while they cannot be saved, and are saved once they can be', async () => {
  const counters = open()
  const days = counters.perDay()
  const other = new DatabaseSync(path.join(folder.dataDir, 'state', 'limits.db'))
  other.exec('BEGIN IMMEDIATE')
  days.of('somebody').add()
  counters.save()
  expect(counted(days)).toMatchObject({ hits: 2 })
  counters.save()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('request counts cannot be saved')
  other.exec('ROLLBACK')
  other.close()
  counters.save()
  expect(counted(days)).toMatchObject({ hits: 3 })
  await counters.close()

  const again = open()
  expect(counted(again.perDay())).toMatchObject({ hits: 4 })
  await again.close()
})

test('a clock that is set back leaves no window that ends in a year', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 11, 24) })
  const counters = open()
  const [minutes, days] = [counters.perWindow('minute', 60_000), counters.perDay()]
  for (const policy of [minutes, days]) policy.of('somebody').add()
  counters.save()
  vi.setSystemTime(Date.UTC(2026, 10, 20, 12))
  for (const policy of [minutes, days]) expect(counted(policy)).toMatchObject({ hits: 1 })
  await counters.close()

  const again = open()
  expect(counted(again.perDay())).toMatchObject({ hits: 2, windowEnds: Date.UTC(2026, 10, 21) })
  await again.close()
})

test('a deleted account leaves no counts in memory or in the file, and others keep theirs', async () => {
  const counters = open()
  const [days, uses] = [counters.perDay(), counters.uses()]
  for (const id of [1, 12]) {
    counted(days, accountCaller(id))
    counted(uses, formatUse(id, undefined, '/v1/prices'))
  }
  counters.forget(1)
  for (const [id, hits] of [
    [1, 0],
    [12, 1],
  ] as const) {
    expect(days.of(accountCaller(id)).hits).toBe(hits)
    expect(uses.of(formatUse(id, undefined, '/v1/prices')).hits).toBe(hits)
    expect(counters.dailyUsage(id)).toHaveLength(hits)
    expect(counters.listUses(id)).toHaveLength(hits)
  }
  await counters.close()
})

test('attempts on one e-mail address count together in every way of writing it', async () => {
  const counters = open()
  const attempts = createAttempts(counters, 3)
  for (const email of ['ann@example.org', ' ANN@example.org', 'ann@Example.org\t']) attempts.count({ email })
  expect(() => attempts.count({ email: '  ann@example.org' })).toThrow(/more than 3 attempts/)
  attempts.count({ email: 'anne@example.org' })
  await counters.close()
})
