import path from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach } from 'vitest'
import { Counters } from '#limits/counters.ts'
import type { PolicyCounters } from '#limits/policy-counters.ts'
import type { RedisCounts } from '#limits/redis-counts.ts'
import { temporaryDataDir } from '../api/support/test-server.ts'

/** Log of the counters during a test. */
export let lines: string[]

let folder: ReturnType<typeof temporaryDataDir>
const opened: Counters[] = []
const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })

/** Gives each test of a file its own folder of counters, and closes those that it opened. */
export function useCounters(): void {
  beforeEach(() => {
    folder = temporaryDataDir()
    lines = []
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((counters) => counters.close()))
    folder.remove()
  })
}

export function openCounters(place = '', exchange?: RedisCounts): Counters {
  const counters = new Counters(path.join(folder.dataDir, place), log, exchange)
  opened.push(counters)
  return counters
}

/** Counts one more if it is allowed. */
function take(policy: PolicyCounters, caller: string, max: number): boolean {
  const count = policy.of(caller)
  const isAllowed = count.allows(max)
  if (isAllowed) count.add(1, max)
  return isAllowed
}

/** Returns how many tries are allowed. */
export const taken = (policy: PolicyCounters, caller: string, tries: number, max = 100): number =>
  Array.from({ length: tries }, () => take(policy, caller, max)).filter(Boolean).length
