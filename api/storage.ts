import { accessSync, constants, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Logger } from '#root/log.ts'
import { isUnwritable, openAccountsAsTheyStand, openAccountsDatabase } from './accounts/database.ts'

/** The accounts of a data folder. Where nothing can be written, keys hold on and nothing can be changed. */
export function openAccounts(dataDir: string, temporaryFolder: string, log: Logger): DatabaseSync {
  try {
    return openAccountsDatabase(dataDir)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'nothing can be written to the data folder: accounts and keys cannot be changed')
    return openAccountsAsTheyStand(dataDir, temporaryFolder)
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
