#!/usr/bin/env node
import cluster from 'node:cluster'
import os from 'node:os'
import { runCoinstrata } from '#root/cli/run.ts'
import type { Run } from '#state/run-journal.ts'

const { env: environment, stdout, stderr } = process

for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // Nobody reads on, as behind "| head". What is unfinished must not pass for success: the code that shells use here.
    process.exit(128 + os.constants.signals.SIGPIPE)
  })
}

const tell = process.send && ((run: Run): void => void process.send?.(run))
process.exitCode = await runCoinstrata(process.argv.slice(2), { environment, stdout, stderr, tell })
// To be cut off counts as a good end for a worker.
if (cluster.isWorker) process.exit()
// Else the channel to the process that began this one would keep it alive.
if (process.connected) process.disconnect()
