import { rmSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { segmentsFolder } from '#compute/data-folder.ts'
import { withProvedSegments } from '#state/proved-segments.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { tableDifferences } from '#test/support/published.ts'
import { readGeneration, run, tipHeight, useProvedChain } from './support/proved-chain.ts'

const { wholeData, unproved, blocks, dataDir, unspent, damage, rpc, scanUnproved, updateUnproved } =
  await useProvedChain()

describe('proof of a chain whose newest blocks alone were proved', () => {
  beforeEach(() => copyFolder(unproved, dataDir))

  it('tells how many blocks are proved, and a later run proves the rest at once', async () => {
    const { proved } = readGeneration(dataDir)
    expect(proved.of).toBe(tipHeight + 1)
    expect(proved.blocks).toBeGreaterThan(0)
    expect(proved.blocks).toBeLessThan(tipHeight / 2)
    const { stdout } = await run('update', blocks, dataDir, ['--prove'])
    expect(stdout).toContain(`proved          ${tipHeight + 1} of ${tipHeight + 1} blocks against their hashes`)
    // Nothing but that has changed, so that no other generation was made.
    expect(readGeneration(dataDir).proved).toEqual(proved)
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })

  it('is unproved again where segments were removed and scanned anew without a proof', async () => {
    const proved = () => withProvedSegments(dataDir, ({ counts }) => counts.blocks)
    await run('update', blocks, dataDir, ['--prove'])
    expect(await proved()).toBe(tipHeight + 1)
    rmSync(segmentsFolder(dataDir), { recursive: true })
    await scanUnproved()
    expect(await proved()).toBeLessThan(tipHeight / 2)
  })

  it('takes damaged blocks from a node, and says that what was published of them is right', async () => {
    const { fault } = damage(1)
    const { exitCode, stdout, stderr } = await run('prove', blocks, dataDir, rpc())
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(
      `damaged in the files of the node, but published correctly: ${fault}; it was read over RPC instead`,
    )
    expect(stdout).toContain('proved: 121 of 121 blocks')
  })
})

describe('an update whose sums are not those of the node', () => {
  it('finds the block that is damaged still, takes it from the node, names it and goes on', async () => {
    const { fault } = damage(1)
    await scanUnproved()
    await updateUnproved()
    expect(readGeneration(dataDir).notes.join()).toContain(`${fault}; it was read over RPC instead`)
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })

  it('does not blame the files where every block is proved', async () => {
    const { sats } = unspent
    unspent.sats--
    try {
      const { exitCode, stderr } = await run('update', blocks, dataDir, rpc())
      expect(exitCode).toBe(5)
      expect(stderr).toContain(`the node counts ${sats - 1} satoshis`)
      expect(stderr).toContain('every block is proved against its hash, so the block files are not the cause')
    } finally {
      unspent.sats = sats
    }
  })
})
