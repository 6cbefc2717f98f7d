import { accessSync, constants, mkdirSync } from 'node:fs'
import path from 'node:path'
import { PostgresAccounts } from '#accounts/database/postgres.ts'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { type AccountsDatabase, isUnavailable } from '#accounts/database/statements.ts'
import type { StoreSettings } from '#accounts/services.ts'
import type { Logger } from '#base/log.ts'
import { isUnwritable } from '#state/open-database.ts'

/**
 * Opens the accounts of a service. If the data folder cannot be written, keys stay valid but nothing can be changed;
 * PostgreSQL may become available later. Throws `invalid_configuration`, `data_folder_mismatch`.
 */
export async function openAccounts(
  { DATA_DIR: dataDir, DATABASE_URL: url }: StoreSettings,
  temporaryFolder: string,
  log: Logger,
  cacheMs?: number,
): Promise<AccountsDatabase> {
  if (url !== undefined) return openShared(url, log, cacheMs)
  try {
    return SqliteAccounts.open(dataDir)
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ err }, 'nothing can be written to the data folder: accounts and keys cannot be changed')
    return SqliteAccounts.openReadOnly(dataDir, temporaryFolder)
  }
}

async function openShared(url: string, log: Logger, cacheMs: number | undefined): Promise<AccountsDatabase> {
  const database = await PostgresAccounts.open(url, cacheMs)
  try {
    await database.ready()
  } catch (err) {
    if (!isUnavailable(err)) {
      await database.close()
      throw err
    }
    log.error({ err }, 'PostgreSQL does not answer: until it does, nobody can sign in or use a key')
  }
  return database
}

/** The folder of drawn charts: in the data folder, or a temporary one if that cannot be written. */
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
