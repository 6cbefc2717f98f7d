import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentGeneration } from '#sql/generation.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { tableDifferences } from '#test/support/published.ts'
import {
  both,
  CheckpointedChain,
  checkpointsIn,
  readRowGroupEnds,
  storeHours,
  storePrices,
} from './support/checkpointed-chain.ts'

describe('an update that goes on from a checkpoint', { timeout: 600_000 }, () => {
  let made: CheckpointedChain
  beforeAll(async () => {
    made = await CheckpointedChain.start()
  })
  afterAll(() => made.stop())

  it('publishes what all days give, here with another checkpoint and then with none', async () => {
    // 290 blocks at three a day close 97 days, of which ten may still change.
    expect(checkpointsIn(made.base).length).toBe(2)
    expect(await readRowGroupEnds(made.base, 'days')).toEqual([53, 86, 96])
    expect(await tableDifferences(made.base, await made.fromGenesis(made.base, await made.blockFiles(290)))).toEqual({})
    const dataDir = made.copyOfBase()
    expect(await made.update(dataDir, await made.blockFiles(298))).toEqual(both([53, 86, 99]))
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, await made.blockFiles(298)))).toEqual({})
    expect(checkpointsIn(dataDir).length).toBe(2)
  })

  it('does so after a reorganisation of 25 blocks, and a price before the last checkpoint', async () => {
    const dataDir = made.copyOfBase()
    const blocks = await made.blockFiles(295, 265)
    await storePrices(dataDir, { 60: 44 })
    expect(await made.update(dataDir, blocks)).toEqual(both([53, 88, 98]))
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, blocks))).toEqual({})
  })

  it('begins with the first day after a restated price of an hour of the first days', async () => {
    const dataDir = made.copyOfBase()
    await storeHours(dataDir, { [10 * 24 + 7]: 44 })
    expect(await made.update(dataDir, await made.blockFiles(295))).toEqual(both([88, 98]))
  })

  it('publishes again if the description of what is published is damaged', async () => {
    const dataDir = made.copyOfBase()
    const { id } = currentGeneration(dataDir)!.generation
    flipBit(path.join(dataDir, 'published', id, 'generation.json'))
    expect((await updateFolder(dataDir, await made.blockFiles(290))).unchanged).toBeUndefined()
    expect(currentGeneration(dataDir)!.generation.id).not.toBe(id)
    expect(await tableDifferences(dataDir, made.base)).toEqual({})
  })
})
