import type { Logger } from '#base/log.ts'
import { PostgresAccounts } from './database/postgres.ts'
import { SqliteAccounts } from './database/sqlite.ts'
import type { PasswordCost } from './passwords.ts'
import { type AccountStores, accountServices } from './services.ts'

/** Where accounts are kept: in the data folder, unless there is the address of a PostgreSQL. */
export interface AccountsPlace {
  readonly DATA_DIR: string
  readonly DATABASE_URL?: string | undefined
}

/** The accounts of a place with all that belongs to them, until `close`. */
export async function openServices(
  { DATA_DIR: dataDir, DATABASE_URL: url }: AccountsPlace,
  log?: Logger,
  passwordCost?: PasswordCost,
): Promise<AccountStores> {
  const database = url === undefined ? SqliteAccounts.open(dataDir) : await PostgresAccounts.open(url)
  return accountServices(database, log, passwordCost)
}
