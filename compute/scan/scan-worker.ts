import { setFlagsFromString } from 'node:v8'
import { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { answer } from '../threads.ts'
import { outcomeArrays, type ScanTask, scanUnit } from './scan-task.ts'

// V8's default limit of inlined code would leave a call per output, and make scans 4 % slower.
setFlagsFromString('--max-inlined-bytecode-size=1000')
setFlagsFromString('--max-inlined-bytecode-size-cumulative=3000')

const files = new FileUnitReader()

export default function scanInWorker(task: ScanTask): Promise<unknown> {
  return answer(() => scanUnit(task, files), outcomeArrays)
}
