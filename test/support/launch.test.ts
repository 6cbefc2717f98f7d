import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { launch } from './launch.ts'
import { isAlive } from './process-alive.ts'

test('what a program prints arrives, and its exit code', async () => {
  const child = launch('sh', ['-c', 'echo "$NAME"; echo wrong >&2; exit 3'], { ...process.env, NAME: 'Ann' })
  const ended = once(child, 'exit')
  expect(await Promise.all([text(child.stdout), text(child.stderr), ended])).toEqual(['Ann\n', 'wrong\n', []])
  expect([child.exitCode, child.signalCode]).toEqual([3, null])
})

test('a program that cannot be started ends with 127', async () => {
  const child = launch('/nonexistent/program', [])
  const ended = once(child, 'exit')
  expect(await Promise.all([text(child.stdout), text(child.stderr), ended])).toEqual([
    '',
    'spawn /nonexistent/program ENOENT',
    [],
  ])
  expect([child.exitCode, child.pid]).toEqual([127, undefined])
})

test('programs end with the process that started them, even if it is killed', async () => {
  const script = `const { launch } = await import(${JSON.stringify(path.join(import.meta.dirname, 'launch.ts'))})
    const child = launch('sleep', ['600'])
    setInterval(() => child.pid && console.log(child.pid), 20)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(parent.stdout, 'data')
  const pid = Number.parseInt(String(printed), 10)
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
})
