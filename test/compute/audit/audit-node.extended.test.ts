import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { blocks, equal, minedAt, program, useAuditedNode } from './support/audited-node.ts'

describe.skipIf(!program)('coinstrata audit with a node', () => {
  const { folder, node, run, mineNext } = useAuditedNode()

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

  it('compares with a node that has gone on and keeps coinstatsindex', async () => {
    await mineNext()
    await node().restart(['-coinstatsindex=1', `-mocktime=${minedAt(blocks + 1)}`])
    const synced = z.object({ coinstatsindex: z.object({ synced: z.literal(true) }) })
    for (let attempt = 0; attempt < 100; attempt++) {
      if (synced.safeParse(await node().rpc('getindexinfo')).success) break
      await sleep(50)
    }
    const { exitCode, stdout, stderr } = await run('audit')
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`ok  node     ${equal}`)
  })
})
