import { afterAll, describe } from 'vitest'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { temporaryDataDir } from '../api/support/test-server.ts'
import { testAllStores } from './all-stores.ts'

describe('in the data folder', () => {
  const { dataDir, remove } = temporaryDataDir()
  afterAll(remove)
  testAllStores(async () => SqliteAccounts.open(dataDir))
})
