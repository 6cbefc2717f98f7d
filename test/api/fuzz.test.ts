import { testRandomRequests } from './support/fuzz.ts'

testRandomRequests(150)
