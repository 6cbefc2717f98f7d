import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Express } from 'express'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CompressedBodies } from '#api/http/compression.ts'
import { returnMemoryWhenQuiet } from '#api/return-memory.ts'
import { publishSmallGeneration } from './support/small-generation.ts'
import { serve, temporaryDataDir } from './support/test-server.ts'

const residentMegabytes = (): number => process.memoryUsage.rss() / 2 ** 20

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be called')
  return () => void collect()
}

test('memory that is free between buffers in use returns to the system in a quiet moment', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-memory-'))
  const stop = returnMemoryWhenQuiet(folder, pino({ level: 'silent' }), 300)
  onTestFinished(() => {
    stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const collect = garbageCollector()
  let buffers = Array.from({ length: 20_000 }, () => Buffer.allocUnsafeSlow(10_000).fill(1))
  buffers = buffers.filter((_, i) => i % 100 === 0)
  collect()
  const filled = residentMegabytes()
  await expect.poll(residentMegabytes).toBeLessThan(filled - 100)
  expect(buffers).toHaveLength(200)
})

test('nothing keeps a closed service in memory', async () => {
  const { dataDir, remove } = temporaryDataDir()
  onTestFinished(remove)
  await publishSmallGeneration(dataDir, 'small-1')
  let app: WeakRef<Express> | undefined
  const extend = (made: Express): void => {
    app = new WeakRef(made)
  }
  const server = await serve(dataDir, { METRICS_PORT: '0' }, { extend })
  for (const address of [`${server.url}/v1/prices`, server.metricsUrl!])
    expect((await fetch(address)).status, address).toBe(200)
  await server.close()
  const collect = garbageCollector()
  const isGone = (): boolean => {
    collect()
    return app?.deref() === undefined
  }
  await expect.poll(isGone, { timeout: 20_000 }).toBe(true)
})

test('a compressed body is dropped after half a minute in which nobody asked for it', async () => {
  let now = performance.now()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => {
    clock.mockRestore()
    vi.useRealTimers()
  })
  const wait = (seconds: number): void => {
    now += 1_000 * seconds
    vi.advanceTimersByTime(1_000 * seconds)
  }
  const bodies = new CompressedBodies()
  const read = async () => (await bodies.for('gzip', 'page', Buffer.alloc(10_000, 'a'))).body
  const first = await read()
  for (const second of [20, 40]) {
    wait(20)
    expect(await read(), `${second} s`).toBe(first)
  }
  wait(31)
  expect(await read()).not.toBe(first)
})
