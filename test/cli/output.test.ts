import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('output')
afterAll(() => rmSync(folder, { recursive: true }))

test('a program whose output nobody reads ends without a word, and not as a success', async () => {
  const program = path.join(import.meta.dirname, '../../cli.ts')
  const child = spawn(process.execPath, [program, 'status', '--data-dir', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(stderr).toBe('')
  expect(child.exitCode).toBe(141)
})
