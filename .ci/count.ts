// Prints the summary line of a test run from vitest's JSON report.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const reportSchema = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numPendingTests: z.int() })
const report = reportSchema.parse(JSON.parse(readFileSync(process.argv[2]!, 'utf8')))
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`)
