import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { watchedParent } from '#root/cli/parent-watch.ts'
import { isAlive } from '#test/support/process-alive.ts'
import { temporaryFolder } from '#test/support/program.ts'

const root = path.join(import.meta.dirname, '../..')

test('a child command ends with its parent, even during a long computation', async () => {
  const folder = temporaryFolder('parent')
  const child = path.join(folder, 'child.ts')
  writeFileSync(
    child,
    `import { endWithParent } from '${root}/cli/parent-watch.ts'
     endWithParent()
     process.stdout.write(process.pid + '\\n', () => { for (;;); })`,
  )
  const script = `require('node:child_process').spawn(process.execPath, ['${child}'],
    { stdio: 'inherit', env: { ...process.env, ${watchedParent}: process.pid } })`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = await once(parent.stdout, 'data')
  expect(isAlive(Number(pid))).toBe(true)
  parent.kill('SIGKILL')
  try {
    await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false)
  } finally {
    if (isAlive(Number(pid))) process.kill(Number(pid), 'SIGKILL')
    rmSync(folder, { recursive: true })
  }
})
