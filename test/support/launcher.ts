import { type ChildProcess, spawn } from 'node:child_process'
import type { LaunchReport, LaunchRequest } from './launch.ts'

// Starts programs for `launch`, passes on what they print, and kills them if the process of the
// tests ends.

const children = new Map<number, ChildProcess>()
/** If the process of the tests has ended, `disconnect` follows. */
const send = (report: LaunchReport): boolean => process.send!(report, undefined, undefined, () => undefined)

process.on('message', (request: LaunchRequest) => {
  const { id } = request
  if ('signal' in request) {
    children.get(id)?.kill(request.signal)
    return
  }
  const child = spawn(request.file, request.args, { env: request.env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.set(id, child)
  send({ id, pid: child.pid })
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (data: Uint8Array) => send({ id, name, data }))
    child[name].once('close', () => send({ id, name, data: undefined }))
  }
  child.once('error', ({ message }) => {
    send({ id, name: 'stderr', data: Buffer.from(message) })
    // As a shell says of a program that it cannot start.
    if (child.pid === undefined) send({ id, exitCode: 127, signalCode: null })
  })
  child.once('exit', (exitCode, signalCode) => {
    children.delete(id)
    send({ id, exitCode, signalCode })
  })
})
process.once('disconnect', () => {
  for (const child of children.values()) child.kill('SIGKILL')
  process.exit()
})
