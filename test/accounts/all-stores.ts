import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll } from 'vitest'
import type { AccountsDatabase } from '#accounts/database/statements.ts'
import { openSecretsKey } from '#accounts/secrets-key.ts'
import { type AccountStores, createAccountStores } from '#accounts/services.ts'
import { testStoredAlerts } from '../alerts/stored-alerts.ts'
import { cheapPasswords, temporaryDataDir } from '../api/support/test-server.ts'
import { testAccountLog } from './account-log.ts'
import { testAccountStores } from './account-stores.ts'
import { testRegisteredClients } from './oauth/registered-clients.ts'
import { testStoredWebhooks } from './webhooks/stored-webhooks.ts'

/** Runs all store tests on a database; what `open` opens is closed at the end. */
export function testAllStores(openDatabase: () => Promise<AccountsDatabase>): void {
  const { dataDir, remove } = temporaryDataDir()
  afterAll(remove)
  mkdirSync(path.join(dataDir, 'state'))
  const opened: AccountsDatabase[] = []
  const open = async (): Promise<AccountsDatabase> => {
    const database = await openDatabase()
    opened.push(database)
    return database
  }
  const stores = async (): Promise<AccountStores> =>
    createAccountStores(await open(), openSecretsKey(dataDir, undefined), undefined, cheapPasswords)
  testAccountStores(stores)
  testAccountLog(stores, open)
  testStoredWebhooks(stores)
  testRegisteredClients(open)
  testStoredAlerts(open)
  afterAll(() => Promise.all(opened.map((database) => database.close())))
}
