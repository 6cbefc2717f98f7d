import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { readFollowing } from '#state/following.ts'
import { RunJournal } from '#state/run-journal.ts'
import { withoutLimits } from '#test/api/support/test-server.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { processesNaming } from '#test/support/process-alive.ts'
import { addressOf, startCoinstrata } from '#test/support/program.ts'
import { FollowedChain } from './support/followed-chain.ts'

const bitcoind = findBitcoind()
const rowSchema = z.object({ data: z.array(z.looseObject({ as_of_hash: z.string() })) })
const healthSchema = z.looseObject({ published: z.looseObject({ pricing: z.looseObject({ setting: z.string() }) }) })

it.skipIf(!bitcoind || !existsSync('/proc/self/environ'))(
  'whenever "start" is killed, its children end too, and the next one serves and follows by its own settings',
  { timeout: 900_000 },
  async () => {
    const live = await FollowedChain.start(bitcoind!)
    const begin = (pricing: string) => {
      using journal = new RunJournal(live.dataDir)
      journal.setDue('update', Date.now() - 1)
      const args = ['start', '--data-dir', live.dataDir, '--port', '0', '--pricing', pricing, ...live.source()]
      return startCoinstrata(args, { environment: { ...withoutLimits, FOLLOW: 'on', SNAPSHOT_SCHEDULE: 'off' } })
    }
    const reachTip = async (program: ReturnType<typeof begin>, pricing: string): Promise<void> => {
      const url = await addressOf(program)
      const { hash } = await live.chain.grow(1)
      const newest = async () => rowSchema.parse(await (await fetch(`${url}/v1/today`)).json()).data[0]?.as_of_hash
      await expect.poll(newest, { timeout: 60_000 }).toBe(hash)
      const setting = async () =>
        healthSchema.parse(await (await fetch(`${url}/health`)).json()).published.pricing.setting
      await expect.poll(setting, { timeout: 60_000 }).toBe(pricing)
    }
    try {
      for (let moment = 0; moment < 8; moment++) {
        const pricing = moment < 4 ? 'daily' : 'hourly'
        const program = begin(pricing)
        // Before it serves, during its first update, or while it follows.
        if (moment % 4 === 3) await reachTip(program, pricing)
        else await sleep(400 * moment)
        program.process.kill('SIGKILL')
        await once(program.process, 'exit')
        await expect.poll(() => processesNaming(live.dataDir), { timeout: 10_000 }).toEqual([])
      }
      expect(readFollowing(live.dataDir)?.followedHeight).toBe(live.chain.height)
    } finally {
      await live.stop()
    }
  },
)
