import { testNullParams, testStdio } from '../support/stdio-tests.ts'

testStdio('2026-07-28')
testNullParams()
