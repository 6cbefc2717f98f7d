import { z } from 'zod'
import type { ProcessMetrics } from '#api/http/prometheus.ts'
import type { RunningServer } from '#api/server.ts'
import { stopSignal } from './process-context.ts'

/** To the primary process: the address served, or requested figures. */
export const workerMessage = z.union([
  z.strictObject({ serving: z.string() }),
  z.strictObject({ figures: z.custom<ProcessMetrics>(Array.isArray), request: z.int() }),
])
export type WorkerMessage = z.infer<typeof workerMessage>

/** From the primary process: another worker replaces this one, or a request for figures. */
const primaryMessage = z.union([z.literal('retire'), z.strictObject({ figures: z.int() })])
export type PrimaryMessage = z.infer<typeof primaryMessage>

/** Idle connections stay this long, so that requests being sent are answered. */
const retireIdleMs = 2_000

/** Answers messages of the primary process until stopped. */
export async function answerPrimary(url: string, server: RunningServer): Promise<void> {
  const send = (message: WorkerMessage): void => void process.send?.(message)
  // A closing terminal sends SIGHUP to all processes; only the primary one handles it.
  process.on('SIGHUP', () => {})
  const idleFor = await new Promise<number>((resolve) => {
    void stopSignal().then(() => resolve(0))
    process.on('message', (message) => {
      const ask = primaryMessage.parse(message)
      if (ask === 'retire') resolve(retireIdleMs)
      else void server.figures().then((figures) => send({ figures, request: ask.figures }))
    })
    send({ serving: url })
  })
  await server.close(idleFor)
}
