import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { withSession } from '#sql/session.ts'

/** The data folder of the running test. */
export let dataDir: string

/** Gives each test of the file a fresh data folder, and removes it afterwards. */
export function freshDataFolders(): void {
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-market-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))
}

export const session = <T>(work: Parameters<typeof withSession<T>>[1]): Promise<T> =>
  withSession({ temporaryFolder: path.join(dataDir, 'tmp'), threads: 1 }, work)
