import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { apiSettings } from '#api/settings.ts'
import { Admission } from '#limits/admission.ts'
import { Counters } from '#limits/counters.ts'

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

/** With the default limits except `settings`, for one test. */
export const createAdmission = (settings: Readonly<Record<string, string>> = {}): Admission =>
  new Admission(apiSettings.parse(settings), createCounters())
