import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'

export const program = findBitcoind()
const begin = Date.parse('2011-03-01') / 1000
export const blocks = 120

/** When a block is mined: half an hour after the one before. */
export const minedAt = (height: number): number => begin + 1800 * height

// 120 blocks of 50 BTC; the coinbase of the first block was never spendable. The halving is at 150.
export const equal = 'equal to gettxoutsetinfo at block 120: 6,000 BTC in 120 unspent outputs'

/** A node with a published chain; the tests of a suite share it. */
export function useAuditedNode() {
  const folder = temporaryFolder('audit-node')
  let node: TestNode

  const run = (command: string, ...args: readonly string[]): Promise<Outcome> =>
    coinstrata([
      ...[command, '--data-dir', path.join(folder, 'data'), '--log-level', 'silent', '--network', 'regtest'],
      ...['--datadir', node.datadir, '--rpc-url', node.endpoint.url],
      ...args,
    ])

  async function mine(from: number, to: number): Promise<void> {
    for (let height = from; height <= to; height++) {
      await node.rpc('setmocktime', [minedAt(height)])
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
  return { folder, node: () => node, run, mineNext: () => mine(blocks + 1, blocks + 1) }
}
