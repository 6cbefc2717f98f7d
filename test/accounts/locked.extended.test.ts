import { testLocked } from './locked-accounts.ts'

testLocked('IMMEDIATE')
