import type { Logger } from '#root/log.ts'
import type { PasswordCost } from './passwords.ts'
import { type AccountStores, accountServices } from './services.ts'
import { SqliteAccounts } from './sqlite.ts'

/** Where accounts are kept: in the data folder. */
export interface AccountsPlace {
  readonly DATA_DIR: string
}

/** The accounts of a place with all that belongs to them, until `close`. */
export async function openServices(
  { DATA_DIR: dataDir }: AccountsPlace,
  log?: Logger,
  passwordCost?: PasswordCost,
): Promise<AccountStores> {
  return accountServices(SqliteAccounts.open(dataDir), log, passwordCost)
}
