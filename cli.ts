#!/usr/bin/env node
import cluster from 'node:cluster'
import os from 'node:os'
import { endWithParent } from '#root/cli/parent-watch.ts'
import { runCoinstrata } from '#root/cli/run.ts'
import type { Run } from '#state/run-journal.ts'

const { env: environment, stdout, stderr } = process

for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // The reader has closed the pipe, as "| head" does. Exit as shells do, since unfinished output
    // must not pass for success.
    process.exit(128 + os.constants.signals.SIGPIPE)
  })
}

endWithParent()
const reportRun = process.send && ((run: Run): void => void process.send?.(run))
process.exitCode = await runCoinstrata(process.argv.slice(2), { environment, stdout, stderr, reportRun })
// For a worker, losing the channel to the primary process is a normal end.
if (cluster.isWorker) process.exit()
// The channel to the parent process would keep this one alive.
if (process.connected) process.disconnect()
