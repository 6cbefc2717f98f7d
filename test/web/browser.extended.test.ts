import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { temporaryFolder } from '#test/support/program.ts'

const startOne = `
  const { launchBrowser } = await import('#test/support/browser.ts')
  await (await launchBrowser()).newPage()
  console.log('started')
  setInterval(() => {}, 1000)
`

/** Processes whose parent is this one. */
const children = (parent: number): number[] =>
  readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** A process that has ended may wait for whoever reads its exit code. */
function isRunning(id: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
  } catch {
    return false
  }
}

test.skipIf(!browser || process.platform !== 'linux')(
  'a browser ends with its process, even if that is killed',
  async () => {
    // Its profile, which nobody else removes.
    const folder = temporaryFolder('browser')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    const owner = spawn(process.execPath, ['--input-type=module', '-e', startOne], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder },
    })
    await once(owner.stdout, 'data')
    const started = children(owner.pid ?? 0)
    expect(started.map(isRunning)).toEqual([true])
    owner.kill('SIGKILL')
    await expect.poll(() => started.filter(isRunning)).toEqual([])
  },
)
