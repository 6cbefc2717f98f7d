/**
 * Loaded into a program (`--import`) to kill it before file operation number KILL_AT. Without
 * KILL_AT, the number of operations is written to OPERATIONS_FILE.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const killAt = Number(process.env.KILL_AT)
let operations = 0

function counted<Arguments extends unknown[], Result>(operation: (...args: Arguments) => Result) {
  return (...args: Arguments): Result => {
    operations++
    if (operations === killAt) process.kill(process.pid, 'SIGKILL')
    return operation(...args)
  }
}

if (isMainThread) {
  const countFile = process.env.OPERATIONS_FILE
  const { writeFileSync } = fs
  if (countFile) process.once('exit', () => writeFileSync(countFile, String(operations)))
  Object.assign(fs, {
    mkdirSync: counted(fs.mkdirSync),
    writeSync: counted(fs.writeSync),
    writeFileSync: counted(fs.writeFileSync),
    appendFileSync: counted(fs.appendFileSync),
    truncateSync: counted(fs.truncateSync),
    fsyncSync: counted(fs.fsyncSync),
    renameSync: counted(fs.renameSync),
    symlinkSync: counted(fs.symlinkSync),
    rmSync: counted(fs.rmSync),
  })
  syncBuiltinESMExports()
}
