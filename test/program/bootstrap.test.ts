import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { tableDifferences } from '#test/support/published.ts'
import { PrunedScene } from './support/pruned-node.ts'

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('a pruned node with the history of another operator', () => {
  let scene: PrunedScene
  beforeAll(async () => {
    scene = await PrunedScene.start(bitcoind!)
  })
  afterAll(() => scene?.stop())

  it('publishes with one command what the other published', async () => {
    const { scanned } = scene
    const dataDir = scene.at('bootstrapped')
    const { exitCode, stderr, stdout } = await scene.bootstrap(dataDir, '--trust', scene.at('public.pem'))
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('equal to gettxoutsetinfo of the node')
    expect(await tableDifferences(dataDir, scanned)).toEqual({})
  })

  it('is refused unless the one who is trusted has signed it', async () => {
    const dataDir = scene.at('not-trusted')
    const outcome = scene.bootstrap(dataDir, '--trust', scene.at('other-public.pem'))
    const message = /history\.json .* is not signed with the expected key/
    await scene.expectRefusal(outcome, 'store_damaged', message, dataDir)
  })
})
