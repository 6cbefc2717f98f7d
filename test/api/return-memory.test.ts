import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { returnMemoryWhenQuiet } from '#api/return-memory.ts'

const residentMegabytes = (): number => process.memoryUsage.rss() / 2 ** 20

test('memory that is free between buffers in use returns to the system in a quiet moment', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-memory-'))
  const stop = returnMemoryWhenQuiet(folder, pino({ level: 'silent' }), 300)
  onTestFinished(() => {
    stop()
    rmSync(folder, { recursive: true, force: true })
  })
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be called')
  let buffers = Array.from({ length: 20_000 }, () => Buffer.allocUnsafeSlow(10_000).fill(1))
  buffers = buffers.filter((_, i) => i % 100 === 0)
  collect()
  const filled = residentMegabytes()
  await expect.poll(residentMegabytes).toBeLessThan(filled - 100)
  expect(buffers).toHaveLength(200)
})
