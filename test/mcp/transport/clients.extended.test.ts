import { http, transports } from '../support/clients.ts'
import { testTools } from '../support/tool-tests.ts'

testTools(transports.filter((one) => one !== http))
