import { setFlagsFromString } from 'node:v8'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { outcomeArrays, type ScanOutcome, type ScanTask, scanUnit } from './scan-task.ts'

// V8 inlines little code into one function by default: here, a call per output would remain, and a
// scan take 4 % longer.
setFlagsFromString('--max-inlined-bytecode-size=1000')
setFlagsFromString('--max-inlined-bytecode-size-cumulative=3000')

const files = new FileUnitReader()

export default async function scanInWorker(task: ScanTask): Promise<unknown> {
  const outcome = await scanUnit(task, files)
  return outcome.kind === 'scanned' ? transferArrays(outcome) : outcome
}

/** Moves the arrays of an outcome to the main thread instead of copying them. */
function transferArrays(outcome: ScanOutcome & { kind: 'scanned' }): unknown {
  const buffers = outcomeArrays(outcome).map(({ buffer }) => buffer)
  return move({ [transferableSymbol]: buffers, [valueSymbol]: outcome })
}
