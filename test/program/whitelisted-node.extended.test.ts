import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentGeneration } from '#sql/generation.ts'
import { readFollowing } from '#state/following.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { coinstrata, startCoinstrata } from '#test/support/program.ts'
import { FollowedChain } from './support/followed-chain.ts'

const bitcoind = findBitcoind()
const needed = ['getblockchaininfo', 'getblockhash', 'getblockheader', 'getblock']
const environment = { BITCOIN_RPC_USER: 'ann', BITCOIN_RPC_PASSWORD: 'word' }
const rpcauth = `-rpcauth=ann:salt$${createHmac('sha256', 'salt').update('word').digest('hex')}`

describe.skipIf(!bitcoind)('a node that permits some methods only', { timeout: 600_000 }, () => {
  let live: FollowedChain
  let common: string[]
  const permit = (methods: readonly string[]): Promise<void> =>
    live.chain.node.restart([rpcauth, '-rpcwhitelistdefault=0', `-rpcwhitelist=ann:${methods.join(',')}`])
  const run = (...args: string[]) => coinstrata([...args, ...common], { environment })
  beforeAll(async () => {
    live = await FollowedChain.start(bitcoind!)
    common = ['--data-dir', live.dataDir, '--source', 'rpc', ...live.source()]
  })
  afterAll(() => live?.stop())

  it('is read and followed without those that are not needed, and the result says what that costs', async () => {
    await live.chain.grow(3)
    await permit(needed)
    const update = await run('update')
    expect(update.exitCode, update.stderr).toBe(0)
    const generation = currentGeneration(live.dataDir)?.generation
    expect(generation?.audit.node).toBeNull()
    expect(generation?.notes).toContainEqual(expect.stringMatching(/not compared: .* gettxoutsetinfo/))
    const required = await run('update', '--require-node')
    expect(required.stderr).toMatch(/does not permit gettxoutsetinfo .*\[rpc_refused\]/)
    expect((await run('doctor', '--port', '0')).exitCode).toBe(0)
    const follower = startCoinstrata(['follow', ...common], { environment })
    try {
      await expect.poll(() => readFollowing(live.dataDir)?.followedHeight).toBe(live.chain.height)
      await live.chain.grow(1)
      await expect.poll(() => readFollowing(live.dataDir)?.followedHeight).toBe(live.chain.height)
    } finally {
      follower.process.kill('SIGKILL')
      await follower.outcome
    }
  })

  it.each(needed)('is refused by the name of %s, which is needed', async (method) => {
    await live.chain.grow(1)
    await permit(needed.filter((other) => other !== method))
    const update = await run('update')
    expect(update.stderr).toMatch(new RegExp(`does not permit ${method} from here.*\\[rpc_refused\\]`))
    expect(update.exitCode).toBe(4)
  })
})
