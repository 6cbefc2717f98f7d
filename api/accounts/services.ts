import type { Logger } from '#root/log.ts'
import { Accounts } from './accounts.ts'
import { openAccountsDatabase } from './database.ts'
import { ApiKeys } from './keys.ts'
import { Sessions } from './sessions.ts'

/** Accounts, keys and sessions of a data folder, until `close`. */
export function openServices(dataDir: string, log?: Logger) {
  const database = openAccountsDatabase(dataDir)
  return {
    accounts: new Accounts(database),
    keys: new ApiKeys(database, log),
    sessions: new Sessions(database),
    close: () => database.close(),
  }
}
