/**
 * Loaded into a program (`--import`), it brings about FAULT as soon as the program makes or opens a
 * file whose path fits AT: `fill` fills the disk on which FILLER lies, so that every write there
 * fails, those of DuckDB and SQLite as well; `starve` lets the process have no more memory than it
 * has; `kill` kills it.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const { openSync, writeSync, closeSync, readFileSync } = fs
const { AT = '', FAULT = '', FILLER = '' } = process.env
const moment = new RegExp(AT)

function fill(): void {
  const descriptor = openSync(FILLER, 'a')
  for (const part of [2 ** 20, 2 ** 12, 1].map((size) => Buffer.alloc(size))) {
    try {
      while (writeSync(descriptor, part) === part.length);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
  }
  closeSync(descriptor)
}

function starve(): void {
  // With its room for what lives shortly empty, V8 has no collection that would want memory before
  // DuckDB does.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const [pages = ''] = readFileSync('/proc/self/statm', 'utf8').split(' ')
  execFileSync('prlimit', ['--pid', String(process.pid), `--as=${Number(pages) * 4096 + 2 ** 20}`])
}

const faults: Readonly<Record<string, () => void>> = { fill, starve, kill: () => process.kill(process.pid, 'SIGKILL') }

function meeting<Arguments extends unknown[], Result>(operation: (...args: Arguments) => Result) {
  return (...args: Arguments): Result => {
    if (moment.test(String(args[0]))) faults[FAULT]?.()
    return operation(...args)
  }
}

Object.assign(fs, {
  mkdirSync: meeting(fs.mkdirSync),
  openSync: meeting(fs.openSync),
  writeFileSync: meeting(fs.writeFileSync),
})
syncBuiltinESMExports()
