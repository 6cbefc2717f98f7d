import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'

const program = findBitcoind()
const begin = Date.parse('2011-03-01') / 1000
const blocks = 120

describe.skipIf(!program)('coinstrata audit with a node', () => {
  const folder = temporaryFolder('audit-node')
  let node: TestNode

  const run = (command: string, ...args: readonly string[]): Promise<Outcome> =>
    coinstrata([
      ...[command, '--data-dir', path.join(folder, 'data'), '--log-level', 'silent', '--network', 'regtest'],
      ...['--datadir', node.datadir, '--rpc-url', node.endpoint.url],
      ...args,
    ])

  /** Mines blocks, each half an hour after the one before. */
  async function mine(from: number, to: number): Promise<void> {
    for (let height = from; height <= to; height++) {
      await node.rpc('setmocktime', [begin + 1800 * height])
      await node.rpc('generatetodescriptor', [1, 'raw(51)'])
    }
  }

  beforeAll(async () => {
    node = await startNode(program ?? '')
    await mine(1, blocks)
    const { exitCode, stderr } = await run('update')
    expect(exitCode, stderr).toBe(0)
  })
  afterAll(async () => {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  // 120 blocks of 50 BTC; the coinbase of the first block was never spendable. The halving is at
  // 150.
  const equal = 'equal to gettxoutsetinfo at block 120: 6,000 BTC in 120 unspent outputs'

  it('compares the tip with what the node counts', async () => {
    const { exitCode, stdout, stderr } = await run('audit')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`ok  node     ${equal}`)
  })

  it.each(['files', 'rpc'])('verifies the blocks of the node from its %s', async (source) => {
    const { exitCode, stdout, stderr } = await run('audit', '--verify', '--source', source)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('ok  chain    121 blocks verified')
  })

  it('is no reason to publish again, whether it goes or comes, but once where nothing was compared before', async () => {
    const kept = /kept +the previous generation/
    const away = await run('update', '--no-rpc')
    expect(away.stdout).toMatch(kept)
    expect(away.stdout).toMatch(/note +The node was not asked/)
    expect(away.stdout).toContain('equal to gettxoutsetinfo')

    const others = ['--data-dir', path.join(folder, 'alone')]
    expect((await run('update', '--no-rpc', ...others)).stdout).toContain('not compared with a node')
    const first = await run('update', ...others)
    expect(first.stdout).toContain('equal to gettxoutsetinfo')
    expect(first.stdout).not.toMatch(kept)
    expect((await run('update', ...others)).stdout).toMatch(kept)
  })

  it('says why it compared nothing once the node has gone on, and how to', async () => {
    await mine(blocks + 1, blocks + 1)
    const { exitCode, stdout, stderr } = await run('audit', '--verify')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('-   node     not compared: the node is at block 121 now')
    expect(stdout).toContain('run "coinstrata update"')
    // The block that came later is not of the published chain.
    expect(stdout).toContain('ok  chain    121 blocks verified')
  })

  it('compares with a node that has gone on and keeps coinstatsindex', async () => {
    await node.restart(['-coinstatsindex=1', `-mocktime=${begin + 1800 * (blocks + 1)}`])
    const synced = z.object({ coinstatsindex: z.object({ synced: z.literal(true) }) })
    for (let attempt = 0; attempt < 100; attempt++) {
      if (synced.safeParse(await node.rpc('getindexinfo')).success) break
      await sleep(50)
    }
    const { exitCode, stdout, stderr } = await run('audit')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`ok  node     ${equal}`)
  })
})
