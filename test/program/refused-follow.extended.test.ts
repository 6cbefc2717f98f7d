import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentGeneration } from '#sql/generation.ts'
import { readFollowing } from '#state/following.ts'
import { readOperations } from '#state/operational-state.ts'
import { readRunJournal } from '#state/run-journal.ts'
import { withoutLimits } from '#test/api/support/test-server.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { addressOf, coinstrata, startCoinstrata } from '#test/support/program.ts'
import { FollowedChain } from './support/followed-chain.ts'

const bitcoind = findBitcoind()
const login = (password: string) => ({ BITCOIN_RPC_USER: 'ann', BITCOIN_RPC_PASSWORD: password })
const rpcauth = (password: string): string =>
  `-rpcauth=ann:salt$${createHmac('sha256', 'salt').update(password).digest('hex')}`

describe.skipIf(!bitcoind)('a follower', { timeout: 600_000 }, () => {
  let live: FollowedChain
  let common: string[]
  beforeAll(async () => {
    live = await FollowedChain.start(bitcoind!)
    common = ['--data-dir', live.dataDir, ...live.source()]
  })
  afterAll(() => live?.stop())

  /** Problems a minute later. */
  const problems = () => {
    const served = currentGeneration(live.dataDir)?.generation
    const options = { served, maxAgeMs: Number.POSITIVE_INFINITY, now: Date.now() + 61_000 }
    return readOperations(live.dataDir, options).state.problems
  }

  it('whose password was changed says rpc_refused, as do update, doctor and status', async () => {
    await live.chain.node.restart([rpcauth('old')])
    const follower = startCoinstrata(['follow', ...common], { environment: login('old') })
    try {
      await expect.poll(() => readFollowing(live.dataDir)?.nodeHeight).toBe(live.chain.height)
      await live.chain.node.restart([rpcauth('new')])
      await expect.poll(() => readFollowing(live.dataDir)?.code).toBe('rpc_refused')
      expect(problems()).toMatchObject([
        {
          code: 'node_unreachable',
          message: expect.stringContaining('rpc_refused'),
          cure: expect.stringContaining('BITCOIN_RPC_PASSWORD'),
        },
      ])
      const environment = login('old')
      const update = await coinstrata(['update', ...common], { environment })
      expect([update.exitCode, update.stderr]).toEqual([4, expect.stringContaining('[rpc_refused]')])
      const doctor = await coinstrata(['doctor', '--port', '0', ...common], { environment })
      expect([doctor.exitCode, doctor.stdout]).toEqual([1, expect.stringContaining('[rpc_refused]')])
      const status = await coinstrata(['status', '--json', '--data-dir', live.dataDir])
      expect(JSON.parse(status.stdout).problems).toContainEqual(expect.objectContaining({ code: 'update_failed' }))
      expect(status.stdout).toContain('failed with rpc_refused')
    } finally {
      follower.process.kill('SIGKILL')
      await follower.outcome
    }
    await live.update()
  })

  it('that another one excludes says in /health which process follows', async () => {
    const other = startCoinstrata(['follow', ...common])
    await expect.poll(() => readFollowing(live.dataDir)?.nodeHeight).toBe(live.chain.height)
    const environment = { ...withoutLimits, FOLLOW: 'on', UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' }
    const program = startCoinstrata(['start', '--port', '0', ...common], { environment })
    try {
      const url = await addressOf(program)
      const health = async () => await (await fetch(`${url}/health`)).text()
      await expect.poll(health).toContain('follow_failed')
      expect(await health()).toMatch(
        new RegExp(`data_folder_in_use.*; process ${other.process.pid}, since 20[^"]*follows`),
      )
      expect(await health()).not.toContain(live.dataDir)
      other.process.kill('SIGKILL')
      await other.outcome
      await expect.poll(health, { timeout: 60_000 }).not.toContain('follow_failed')
      const runs = readRunJournal(live.dataDir, (journal) => journal.newest(1))
      expect(runs?.find(({ job }) => job === 'follow')).toMatchObject({ outcome: 'running' })
    } finally {
      other.process.kill('SIGKILL')
      program.process.kill()
      await program.outcome
    }
  })
})
