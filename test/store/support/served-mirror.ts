import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { addressOf, startCoinstrata } from '#test/support/program.ts'
import { startMirror } from './stores.ts'

const healthSchema = z.object({
  status: z.string(),
  generation: z.string().nullable(),
  problems: z.array(z.object({ code: z.string() })),
})

/** Serves what a reader pulls every second from a mirror of a store, until the test has finished. */
export async function serveMirror(place: string, reader: string) {
  const { server, url } = await startMirror(place)
  const start = () =>
    startCoinstrata(['serve', '--from', url, '--data-dir', reader, '--port', '0'], {
      environment: { PULL_SECONDS: '1', MAX_AGE: '99999d' },
    })
  let serving = start()
  const end = async (): Promise<void> => {
    serving.process.kill()
    await serving.outcome
  }
  onTestFinished(async () => {
    await end()
    server.close()
  })
  let address = await addressOf(serving)
  const health = async () => healthSchema.parse(await (await fetch(`${address}/health`)).json())
  return {
    address,
    health,
    until: (generation: string, status: string) =>
      expect.poll(health, { timeout: 30_000, interval: 100 }).toMatchObject({ generation, status }),
    /** Ends the process, does some work, and starts another one. */
    async restart(work: () => Promise<unknown>): Promise<void> {
      await end()
      await work()
      serving = start()
      address = await addressOf(serving)
    },
  }
}
