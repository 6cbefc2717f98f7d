import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FairQueue, type QueueLimits } from '#limits/fair-queue.ts'
import { LimitError } from '#limits/limiter.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const createQueue = (limits: QueueLimits) =>
  new FairQueue(limits, (seconds) => new LimitError('overloaded', 'too much', seconds))
const limits = { concurrency: 1, maxWaitMs: 10_000 }
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Queues jobs of 100 ms; returns the order in which they started. */
async function ordered(queue: FairQueue, jobs: readonly string[]): Promise<string[]> {
  const begun: string[] = []
  const all = jobs.map((name) =>
    queue.run(name.slice(0, 1), 100, async () => {
      begun.push(name)
      await sleep(100)
    }),
  )
  await vi.advanceTimersByTimeAsync(100 * jobs.length)
  await Promise.all(all)
  return begun
}

test('callers take turns, each in its own order', async () => {
  const queue = createQueue(limits)
  expect(await ordered(queue, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])).toEqual([
    'a1',
    'a2',
    'b1',
    'c1',
    'a3',
    'b2',
    'a4',
  ])
  // Nothing is left over.
  expect(await ordered(queue, ['b1', 'a1'])).toEqual(['b1', 'a1'])
})

test('as many go on at a time as may, also after failures', async () => {
  const queue = createQueue({ ...limits, concurrency: 2 })
  let [running, max] = [0, 0]
  const jobs = Array.from({ length: 9 }, (_, i) =>
    queue.run(`caller ${i % 2}`, 10, async () => {
      running++
      max = Math.max(max, running)
      await sleep(10)
      running--
      if (i % 3 === 0) throw new Error(`work ${i}`)
      return i
    }),
  )
  const outcomes = Promise.allSettled(jobs)
  await vi.advanceTimersByTimeAsync(1_000)
  expect((await outcomes).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual([
    'failed',
    1,
    2,
    'failed',
    4,
    5,
    'failed',
    7,
    8,
  ])
  expect([max, running]).toEqual([2, 0])
})

test('a caller is refused for its own expected work, at its share of the queue, and never for that of others', async () => {
  const queue = createQueue(limits)
  const refused: string[] = []
  const run = (caller: string, expectedMs: number) =>
    queue
      .run(caller, expectedMs, () => sleep(1))
      .catch(({ code, retryAfter }) => void refused.push(`${caller} ${code} ${retryAfter}`))
  const all = [
    // One of a runs, and ten may wait.
    ...Array.from({ length: 13 }, () => run('a', 1_000)),
    run('b', 20),
    // With three callers, c may wait for 10 s / 3 of its own work.
    ...Array.from({ length: 3 }, () => run('c', 2_000)),
  ]
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all(all)
  const overloaded = 'overloaded'
  expect(refused).toEqual([`a ${overloaded} 11`, `a ${overloaded} 11`, `c ${overloaded} 12`, `c ${overloaded} 12`])
})

test('costly jobs of one caller take as long as many cheap ones of another', async () => {
  const queue = createQueue({ ...limits, maxWaitMs: 1e6 })
  const begun: string[] = []
  const run = (caller: string, ms: number) =>
    queue.run(caller, ms, async () => {
      begun.push(caller)
      await sleep(ms)
    })
  const all = [
    run('x', 10),
    ...Array.from({ length: 3 }, () => run('a', 400)),
    ...Array.from({ length: 8 }, () => run('b', 100)),
  ]
  await vi.advanceTimersByTimeAsync(5_000)
  await Promise.all(all)
  expect(begun.join('')).toBe('xabbbbabbbba')
})

test('who waits too long all the same is refused, and leaves its place', async () => {
  const queue = createQueue({ ...limits, maxWaitMs: 500 })
  const slow = queue.run('a', 100, () => sleep(2_000))
  const waiting = queue.run('b', 100, async () => 'drawn').catch((error) => error.code)
  await vi.advanceTimersByTimeAsync(499)
  expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toBe('overloaded')
  await vi.advanceTimersByTimeAsync(2_000)
  await slow
  expect(await queue.run('b', 100, async () => 'drawn')).toBe('drawn')
})

test('of one caller only so many go on, and others take the places that it may not', async () => {
  const queue = createQueue({ ...limits, concurrency: 3, perCaller: 2 })
  const begun: string[] = []
  const jobs = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) =>
    queue.run(name.slice(0, 1), 100, async () => {
      begun.push(name)
      await sleep(100)
    }),
  )
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await vi.advanceTimersByTimeAsync(200)
  await Promise.all(jobs)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('jobs of callers that may not begin wait, and others pass them', async () => {
  let blocked: string | undefined = 'a'
  const queue = createQueue({ ...limits, concurrency: 9, maxWaitMs: 1_000, mayBegin: (caller) => caller !== blocked })
  const begun: string[] = []
  const begin = (name: string) => queue.run(name.slice(0, 1), 1, () => void begun.push(name))
  const waiting = begin('a1')
  await begin('b1')
  expect(begun).toEqual(['b1'])
  blocked = undefined
  queue.beginMore()
  await waiting
  expect([begun, queue.waiting]).toEqual([['b1', 'a1'], 0])
})
