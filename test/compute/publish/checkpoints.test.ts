import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tableDifferences } from '#test/support/published.ts'
import { both, CheckpointedChain, checkpointsIn, readRowGroupEnds } from './support/checkpointed-chain.ts'

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
    const dataDir = made.copyOfBase()
    expect(await made.update(dataDir, await made.blockFiles(298))).toEqual(both([53, 86, 99]))
    expect(await tableDifferences(dataDir, await made.fromGenesis(dataDir, await made.blockFiles(298)))).toEqual({})
    expect(checkpointsIn(dataDir).length).toBe(2)
  })
})
