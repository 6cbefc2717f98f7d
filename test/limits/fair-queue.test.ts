import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FairQueue } from '#limits/fair-queue.ts'
import { LimitError } from '#limits/limiter.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const limits = { concurrency: 1, maxWaitMs: 10_000, initialJobMs: 100 }
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Queues jobs of 100 ms; returns the order in which they started. */
async function ordered(queue: FairQueue, jobs: readonly string[]): Promise<string[]> {
  const begun: string[] = []
  const all = jobs.map((name) =>
    queue.run(name.slice(0, 1), async () => {
      begun.push(name)
      await sleep(100)
    }),
  )
  await vi.advanceTimersByTimeAsync(100 * jobs.length)
  await Promise.all(all)
  return begun
}

test('callers take turns, each in its own order', async () => {
  const queue = new FairQueue(limits)
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
  const queue = new FairQueue({ ...limits, concurrency: 2 })
  let [running, max] = [0, 0]
  const jobs = Array.from({ length: 9 }, (_, i) =>
    queue.run(`caller ${i % 2}`, async () => {
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

test('who would wait too long is refused at once, and told when to come again; others are not', async () => {
  const queue = new FairQueue(limits)
  const settled: Promise<unknown>[] = []
  let refused: unknown
  let accepted = 0
  for (let i = 0; i < 150; i++) {
    const work = queue.run('a', () => sleep(100))
    work.then(
      () => accepted++,
      (error) => (refused ??= error),
    )
    settled.push(work.catch(() => undefined))
  }
  await vi.advanceTimersByTimeAsync(0)
  expect(refused).toMatchObject({ code: 'render_overloaded', status: 503, retryAfter: 11 })
  const other = queue.run('b', async () => performance.now())
  const begin = performance.now()
  await vi.advanceTimersByTimeAsync(20_000)
  await Promise.all(settled)
  expect((await other) - begin).toBeLessThanOrEqual(200)
  // One goes on and a hundred may wait, but the turn of b makes the last of them wait too long.
  expect(accepted).toBe(100)
})

test('who waits too long all the same is refused, and leaves its place', async () => {
  const queue = new FairQueue({ ...limits, maxWaitMs: 500 })
  const slow = queue.run('a', () => sleep(2_000))
  const waiting = queue.run('b', async () => 'drawn').catch((error) => error.code)
  await vi.advanceTimersByTimeAsync(499)
  expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits')
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toBe('render_overloaded')
  await vi.advanceTimersByTimeAsync(2_000)
  await slow
  expect(await queue.run('b', async () => 'drawn')).toBe('drawn')
})

test('of one caller only so many go on, and others take the places that it may not', async () => {
  const queue = new FairQueue({ ...limits, concurrency: 3, perCaller: 2 })
  const begun: string[] = []
  const jobs = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) =>
    queue.run(name.slice(0, 1), async () => {
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

test('while too much is held nothing begins, of its caller or of all', async () => {
  const because: boolean[] = []
  const queue = new FairQueue(
    { ...limits, concurrency: 9, maxWaitMs: 1_000, held: { total: 100, perCaller: 50 } },
    (seconds, isOwn) => {
      because.push(isOwn)
      return new LimitError('overloaded', 'busy', seconds)
    },
  )
  const begun: string[] = []
  const begin = (name: string) => queue.run(name.slice(0, 1), () => void begun.push(name))
  const letGo = queue.hold('a', 50)
  const waiting = begin('a1')
  await begin('b1')
  expect(begun).toEqual(['b1'])
  letGo()
  letGo()
  await waiting
  expect([begun, queue.held]).toEqual([['b1', 'a1'], 0])

  queue.hold('a', 50)
  const letOtherGo = queue.hold('b', 49)
  await begin('b2')
  const more = queue.hold('b', 1)
  const refused = [begin('a2'), begin('c1')].map((one) => one.catch(({ code }) => code))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await Promise.all(refused)).toEqual(['overloaded', 'overloaded'])
  // Of a its own bytes are in the way, of c those of others.
  expect(because).toEqual([true, false])
  letOtherGo()
  more()
  await begin('c2')
  expect(begun).toEqual(['b1', 'a1', 'b2', 'c2'])
})
