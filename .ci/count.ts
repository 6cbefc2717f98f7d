// Prints the summary line of test runs from vitest's JSON reports.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const reportSchema = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), numPendingTests: z.int() })
const reports = process.argv.slice(2).map((file) => reportSchema.parse(JSON.parse(readFileSync(file, 'utf8'))))
const sum = (count: keyof (typeof reports)[0]): number => reports.reduce((total, report) => total + report[count], 0)
console.log(`${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped`)
