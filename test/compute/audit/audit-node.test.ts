import { describe, expect, it } from 'vitest'
import { equal, program, useAuditedNode } from './support/audited-node.ts'

describe.skipIf(!program)('coinstrata audit with a node', () => {
  const { run, mineNext } = useAuditedNode()

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

  it('says why it compared nothing once the node has gone on, and how to', async () => {
    await mineNext()
    const { exitCode, stdout, stderr } = await run('audit', '--verify')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('-   node     not compared: the node is at block 121 now')
    expect(stdout).toContain('run "coinstrata update"')
    // The block that came later is not of the published chain.
    expect(stdout).toContain('ok  chain    121 blocks verified')
  })

  it('proves by coin what the node lists, with the block that came later', async () => {
    const { exitCode, stdout, stderr } = await run('audit', '--coins')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('proved by coin: 121 coins of 3 days of creation, 6,050 BTC, after block 121 (2011-03-03)')
  })
})
