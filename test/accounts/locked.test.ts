import { testLocked } from './locked-accounts.ts'

testLocked('EXCLUSIVE')
