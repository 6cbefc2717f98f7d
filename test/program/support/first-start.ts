import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { healthSchema } from '#contract/health.ts'
import { type RunningProgram, startCoinstrata } from '#test/support/program.ts'

/** Begins the service without a schedule. */
export function startService(
  dataDir: string,
  blocksdir: string,
  given: Readonly<Record<string, string>> = {},
): RunningProgram {
  const args = ['start', '--network', 'regtest', '--blocksdir', blocksdir, '--data-dir', dataDir]
  const environment = { PORT: '0', UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off', ...given }
  return startCoinstrata(args, { environment })
}

/** Place where a page says that nothing is published yet. */
export const early = (program: RunningProgram): Promise<string> =>
  said(program, /nothing is published yet: (\S+)\/ tells/)

/** The first group of what standard error says. */
export const said = ({ process: { stderr } }: RunningProgram, words: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    stderr?.on('data', (chunk) => {
      text += chunk
      const [, found] = words.exec(text) ?? []
      if (found) resolve(found)
    })
    stderr?.on('end', () => reject(new Error(text)))
  })

export const readStatuses = (url: string): Promise<number[]> =>
  Promise.all(['/', '/health/live', '/health', '/v1/prices'].map(async (at) => (await fetch(url + at)).status))

type Health = z.infer<typeof healthSchema>

/** Reads `/health` until it is as expected. */
export async function healthWhen(url: string, isReached: (health: Health) => boolean): Promise<Health> {
  const deadline = Date.now() + 45_000
  for (;;) {
    const health = healthSchema.parse(await (await fetch(`${url}/health`)).json())
    if (isReached(health)) return health
    if (Date.now() > deadline) throw new Error(JSON.stringify(health))
    await sleep(50)
  }
}
