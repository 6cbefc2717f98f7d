import { accessSync, constants, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Logger } from '#root/log.ts'
import { isUnwritable } from './accounts/database.ts'
import { SqliteAccounts } from './accounts/sqlite.ts'
import type { AccountsDatabase } from './accounts/statements.ts'

/** The accounts of a service. Where nothing can be written to the data folder, keys hold on and nothing can be changed. */
export function openAccounts(dataDir: string, temporaryFolder: string, log: Logger): AccountsDatabase {
  try {
    return SqliteAccounts.open(dataDir)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'nothing can be written to the data folder: accounts and keys cannot be changed')
    return SqliteAccounts.openAsTheyStand(dataDir, temporaryFolder)
  }
}

/** Where charts are kept for their hour: in the data folder, or where nothing can be written there, for as long as the service runs. */
export function rendersFolder(dataDir: string, temporaryFolder: string): string {
  const folder = path.join(dataDir, 'state', 'renders')
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return path.join(temporaryFolder, 'renders')
  }
}
