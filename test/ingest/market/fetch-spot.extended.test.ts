import { freshDataFolders } from './data-folder.ts'
import { faults } from './fake-server.ts'
import { testSpotSources } from './spot-sources.ts'

freshDataFolders()
testSpotSources((source) => (source === 'kraken' ? [] : faults.slice(1)))
