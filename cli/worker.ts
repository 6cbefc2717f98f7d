import { z } from 'zod'
import type { ProcessMetrics } from '#api/http/prometheus.ts'
import type { RunningServer } from '#api/server.ts'

/** What a worker tells the process that began it: where it serves, and its figures when it is asked. */
export const told = z.union([
  z.strictObject({ serving: z.string() }),
  z.strictObject({ figures: z.custom<ProcessMetrics>(Array.isArray), asked: z.int() }),
])
export type Told = z.infer<typeof told>

/** What it is told: to tell its figures, or that another has taken its place. */
const asked = z.union([z.literal('retire'), z.strictObject({ figures: z.int() })])
export type Asked = z.infer<typeof asked>

/** Who is replaced keeps idle connections for a moment, so that what is just being sent is answered. In milliseconds. */
const idleAfterRetiring = 2_000

/** Tells the process that began this one that it serves, and does what that asks for, until it is to end. */
export async function answerPrimary(url: string, server: RunningServer): Promise<void> {
  const tell = (message: Told): void => void process.send?.(message)
  // A terminal that closes sends it to all; it is for the primary process.
  process.on('SIGHUP', () => {})
  const idleFor = await new Promise<number>((resolve) => {
    process.once('SIGINT', () => resolve(0))
    process.once('SIGTERM', () => resolve(0))
    process.on('message', (message) => {
      const ask = asked.parse(message)
      if (ask === 'retire') resolve(idleAfterRetiring)
      else void server.figures().then((figures) => tell({ figures, asked: ask.figures }))
    })
    tell({ serving: url })
  })
  await server.close(idleFor)
}
