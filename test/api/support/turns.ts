import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { requestText } from './request-thread.ts'

/** Turns with less work than this are waiting. */
const idleMs = 0.1
const pauseMs = 1
const pause = new Int32Array(new SharedArrayBuffer(4))

/** Linux counts processor time in ticks of some milliseconds: a turn took no more than its time. */
function startTimer(): () => number {
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  const [used, now] = [usedMs(), performance.now()]
  return () => Math.min(usedMs() - used, performance.now() - now)
}

/**
 * Processor time of this thread in the longest turn of the event loop during `work`, in ms. Other
 * threads and processes do not count, however busy the machine is.
 */
export async function maxTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false]
  const { promise, resolve } = Promise.withResolvers<void>()
  let readMs = startTimer()
  const look = (): void => {
    const used = readMs()
    longest = Math.max(longest, used)
    if (isOver) {
      resolve()
      return
    }
    // An event loop that only waits would use a whole processor.
    if (used < idleMs) Atomics.wait(pause, 0, 0, pauseMs)
    readMs = startTimer()
    setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
    await promise
  }
  return longest
}

const answerSchema = z.object({ id: z.int(), status: z.int(), text: z.string(), cookie: z.string() })
export type TurnAnswer = z.infer<typeof answerSchema>
export interface TurnRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends requests from a thread, so that this one only answers them. */
export function startRequester() {
  const worker = new Worker(new URL('./request-thread.ts', import.meta.url))
  const waiting = new Map<number, (answer: TurnAnswer) => void>()
  worker.on('message', (message: unknown) => {
    const answer = answerSchema.parse(message)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  let count = 0
  return {
    send: (request: TurnRequest): Promise<TurnAnswer> => {
      const id = count++
      const { promise, resolve } = Promise.withResolvers<TurnAnswer>()
      waiting.set(id, resolve)
      worker.postMessage({ id, ...request })
      return promise
    },
    close: async (): Promise<void> => {
      const ended = once(worker, 'exit')
      worker.postMessage(requestText.end)
      await ended
    },
  }
}
