import { http } from '../support/clients.ts'
import { testTools } from '../support/tool-tests.ts'

testTools([http])
