import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { withSession } from '#sql/session.ts'

/** The data folder of the running test. */
export let dataDir: string

let connection: DuckDBConnection

/** Gives each test of the file a fresh data folder, and removes it afterwards. */
export function freshDataFolders(): void {
  const { promise: atEnd, resolve: end } = Promise.withResolvers<void>()
  const temporaryFolder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-session-'))
  let ended: Promise<void>
  beforeAll(
    () =>
      new Promise<void>((begun, failed) => {
        ended = withSession({ temporaryFolder, threads: 1 }, (opened) => {
          connection = opened
          begun()
          return atEnd
        })
        ended.catch(failed)
      }),
  )
  afterAll(async () => {
    end()
    await ended
    rmSync(temporaryFolder, { recursive: true })
  })
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-market-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))
}

/**
 * Works in the one session of the file: to open one takes as long as most of what is done in it.
 */
export const session = <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> => work(connection)
