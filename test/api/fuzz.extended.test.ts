import { trials } from '#test/support/trials.ts'
import { testRandomRequests } from './support/fuzz.ts'

/** FUZZ_REQUESTS=20000 takes some minutes. */
testRandomRequests(Number(process.env.FUZZ_REQUESTS ?? trials(300, 2_500)))
