import { freshDataFolders } from './data-folder.ts'
import { faults } from './fake-server.ts'
import { testFunds } from './fund-sources.ts'

freshDataFolders()
testFunds(faults.slice(1))
