import { testStdio } from '../support/stdio-tests.ts'

testStdio('2025-11-25')
