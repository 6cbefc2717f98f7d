import { freshDataFolders } from './data-folder.ts'
import { faults } from './fake-server.ts'
import { testVenues } from './futures-sources.ts'

freshDataFolders()
testVenues((source) => (source === 'okx' ? [] : faults.slice(1)))
