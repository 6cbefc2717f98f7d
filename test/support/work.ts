import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { apiSettings } from '#api/settings.ts'
import { Counters } from '#limits/counters.ts'
import { Work } from '#limits/work.ts'

/** Counters of a folder of their own, for one test. */
export function createCounters(): Counters {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-counters-'))
  const counters = new Counters(folder, pino({ level: 'silent' }))
  onTestFinished(async () => {
    await counters.close()
    rmSync(folder, { recursive: true })
  })
  return counters
}

/** Work with the default limits but for `settings`, for one test. */
export const createWork = (settings: Readonly<Record<string, string>> = {}): Work =>
  new Work(apiSettings.parse(settings), createCounters())
