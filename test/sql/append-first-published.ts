/**
 * A program that adds what the generations of a data folder were the first to publish, to be killed
 * meanwhile.
 */
import { appendFirstValues } from '../support/first-values.ts'

await appendFirstValues(process.argv[2]!)
