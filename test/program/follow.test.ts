import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ChainTip } from '#ingest/chain/node.ts'
import { currentGeneration } from '#sql/generation.ts'
import { readFollowing } from '#state/following.ts'
import { readOperations } from '#state/operational-state.ts'
import { bearer, keyOf, withoutLimits } from '#test/api/support/test-server.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { expectHoursAddUp } from '#test/support/hour-sums.ts'
import { addressOf, startCoinstrata } from '#test/support/program.ts'
import { live, useFollowedChain } from './support/followed-chain.ts'

const answerSchema = z.object({
  data: z.array(z.looseObject({ as_of_hash: z.string() })),
  meta: z.object({ withheld: z.array(z.string()).optional() }),
})

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('the open day of a chain that a real node makes', { timeout: 600_000 }, () => {
  useFollowedChain(bitcoind!)

  it('is after its last block what the nightly run publishes of it, in every column', async () => {
    const rows = await live.follow(9)
    live.expectVaried(rows, 1, 0)
    await live.expectAsPublished(rows)
    expect(await live.expectKeptAsPublished()).toBeGreaterThan(1)
    const added = await expectHoursAddUp(live.dataDir)
    expect(added.hours).toBeGreaterThan(24)
    expect(currentGeneration(live.dataDir)?.generation.prices?.pricing.hourly?.days).toBeGreaterThan(1)
  })

  it('is served after each block by "start" with FOLLOW=on, which goes on when the node comes back', async () => {
    const pro = bearer(await keyOf(live.dataDir, 'pro'))
    const program = startCoinstrata(['start', '--data-dir', live.dataDir, '--port', '0', ...live.source()], {
      environment: { ...withoutLimits, FOLLOW: 'on', UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' },
    })
    try {
      const url = await addressOf(program)
      const ask = async (headers: Record<string, string> = {}) => {
        const response = await fetch(`${url}/v1/today`, { headers })
        const text = await response.text()
        expect(response.status, text).toBe(200)
        const answer = answerSchema.parse(JSON.parse(text))
        return { ...answer, row: answer.data[0], etag: response.headers.get('etag') ?? '' }
      }
      /** Waits until the row is as of the node's tip, and returns how long that took. */
      const appeared = async (tip: ChainTip): Promise<number> => {
        const begin = performance.now()
        while ((await ask()).row?.as_of_hash !== tip.hash) {
          if (performance.now() - begin > 60_000) throw new Error(`block ${tip.height} has not come in a minute`)
          await sleep(50)
        }
        return performance.now() - begin
      }
      await appeared(await live.chain.tip())
      const times = [await appeared(await live.chain.grow(1)), await appeared(await live.chain.grow(1))]
      times.push(await appeared(await live.chain.reorganise(2)))
      const before = await ask()
      expect(before.meta.withheld).toContain('realized_profit')
      expect(before.row).not.toHaveProperty('realized_profit')
      const unchanged = await fetch(`${url}/v1/today`, { headers: { 'If-None-Match': before.etag } })
      expect(unchanged.status).toBe(304)
      const ofPro = await ask(pro)
      expect(ofPro.meta.withheld).toBeUndefined()
      const published = await live.todayRow()
      expect(ofPro.row).toMatchObject({
        date: published.date,
        provisional: true,
        as_of_height: live.chain.height,
        realized_profit: Number(published.realized_profit),
        supply_sats: Number(published.supply_sats),
      })

      const inStep = { nodeHeight: live.chain.height, followedHeight: live.chain.height, behindSince: null }
      expect(readFollowing(live.dataDir)).toEqual({ ...inStep, unreachableSince: null, code: null })
      const codesAfter = (milliseconds: number): string[] => {
        const served = currentGeneration(live.dataDir)?.generation
        const now = Date.now() + milliseconds
        const { state } = readOperations(live.dataDir, { served, maxAgeMs: Number.POSITIVE_INFINITY, now })
        return state.problems.map(({ code }) => code)
      }
      await live.chain.node.halt()
      while (readFollowing(live.dataDir)?.unreachableSince === null) await sleep(50)
      expect(readFollowing(live.dataDir)).toEqual({
        ...inStep,
        unreachableSince: expect.any(Number),
        code: 'rpc_unreachable',
      })
      expect(codesAfter(0)).not.toContain('node_unreachable')
      expect(codesAfter(61_000)).toContain('node_unreachable')
      expect((await ask()).row).toEqual(before.row)
      await live.chain.resume()
      times.push(await appeared(await live.chain.grow(1, { fewest: 0, most: 0 })))
      expect(readFollowing(live.dataDir)).toMatchObject({ nodeHeight: live.chain.height, unreachableSince: null })
      expect(codesAfter(61_000)).not.toContain('node_unreachable')
      // On a busy machine one or the other takes longer.
      expect(Math.min(...times), times.join(', ')).toBeLessThan(2_000)
    } finally {
      program.process.kill()
    }
    const { exitCode } = await program.outcome
    expect(exitCode).toBe(0)
  })
})
