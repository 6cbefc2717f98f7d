import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findBitcoind, startNode } from '#test/support/bitcoind.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { coinstrata } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { PrunedScene } from './support/pruned-node.ts'

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('a pruned node with the history of another operator', () => {
  let scene: PrunedScene
  beforeAll(async () => {
    scene = await PrunedScene.start(bitcoind!)
  })
  afterAll(() => scene?.stop())

  it('publishes with one command what the other published, and goes on with its own blocks', async () => {
    const { scanned, chain, pruned } = scene
    const dataDir = scene.at('bootstrapped')
    const { exitCode, stderr, stdout } = await scene.bootstrap(dataDir, '--trust', scene.at('public.pem'))
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('equal to gettxoutsetinfo of the node')
    expect(await tableDifferences(dataDir, scanned)).toEqual({})

    await scene.grow(60)
    for (const [folder, node] of [
      [scanned, chain.node],
      [dataDir, pruned],
    ] as const) {
      const { exitCode, stderr } = await scene.run('update', folder, node)
      expect(exitCode, stderr).toBe(0)
    }
    expect(await tableDifferences(dataDir, scanned)).toEqual({})
    const compared = await coinstrata(['compare', scanned, '--data-dir', dataDir])
    expect(compared.exitCode, compared.stderr).toBe(0)
    for (const kind of ['blocks', 'flows', 'days']) {
      const [, equal, all] =
        new RegExp(`^${kind}: +([\\d,]+) of ([\\d,]+) days equal$`, 'm').exec(compared.stdout) ?? []
      expect(equal, compared.stdout).toBe(all)
      expect(equal).toBeDefined()
    }
    const audited = await scene.run('audit', dataDir, pruned, '--verify')
    expect(audited.exitCode, audited.stdout + audited.stderr).toBe(0)
    // What is done already is not done again.
    expect((await scene.bootstrap(dataDir)).stdout).not.toContain('of the history')
    const own = scene.run('bootstrap', scanned, chain.node, scene.store)
    expect((await own).stderr).toMatch(/has blocks that this machine scanned/)
    // Only what is new is copied.
    const before = readdirSync(path.join(scene.store, 'h')).length
    expect((await scene.publish(scanned)).exitCode).toBe(0)
    expect(readdirSync(path.join(scene.store, 'h')).length - before).toBeLessThan(before / 2)
  })

  describe('is refused', () => {
    it('unless the one who is trusted has signed it', async () => {
      const dataDir = scene.at('not-trusted')
      const outcome = scene.bootstrap(dataDir, '--trust', scene.at('other-public.pem'))
      const message = /history\.json .* is not signed with the expected key/
      await scene.expectRefusal(outcome, 'store_damaged', message, dataDir)
    })

    it('where a byte of it changed', async () => {
      const largest = readdirSync(path.join(scene.store, 'h'))
        .map((name) => path.join(scene.store, 'h', name))
        .sort((one, other) => statSync(other).size - statSync(one).size)[0]!
      onTestFinished(flipBit(largest))
      const dataDir = scene.at('changed')
      const message = /h\/\w{64} in the store .* is not what was published/
      await scene.expectRefusal(scene.bootstrap(dataDir), 'store_damaged', message, dataDir)
    })

    it('where its files would lie outside their folder', async () => {
      const file = path.join(scene.store, 'history.json')
      const content = readFileSync(file, 'utf8')
      onTestFinished(() => writeFileSync(file, content))
      writeFileSync(file, content.replace(/"name\\":\\"segments\/[^\\]+/, '"name\\":\\"segments/../../evil.parquet'))
      expect(readFileSync(file, 'utf8')).not.toBe(content)
      const dataDir = scene.at('outside')
      const message = /is not a description of history/
      await scene.expectRefusal(scene.bootstrap(dataDir), 'store_damaged', message, dataDir)
    })

    it('by a node of another chain, or one that lacks its blocks', async () => {
      const other = await startNode(bitcoind!)
      onTestFinished(() => other.stop())
      const dataDir = scene.at('foreign')
      const bootstrap = () => scene.run('bootstrap', dataDir, other, scene.store)
      await scene.expectRefusal(bootstrap(), 'data_not_ready', /the node has validated 0 blocks/, dataDir)
      await other.rpc('generatetodescriptor', [scene.chain.height, 'raw(51)'])
      const message = /block \d+ of the history is \w+, and that of the node is \w+/
      await scene.expectRefusal(bootstrap(), 'wrong_chain', message, dataDir)
    })

    it('with settings that need other segments, and where there is none', async () => {
      const dataDir = scene.at('settings')
      const off = coinstrata(scene.bootstrapArgs(dataDir), { environment: { ADDRESSES: 'off' } })
      await scene.expectRefusal(off, 'invalid_configuration', /scanned with ADDRESSES=sample/, dataDir)
      mkdirSync(scene.at('empty'))
      const empty = scene.run('bootstrap', dataDir, scene.pruned, scene.at('empty'))
      await scene.expectRefusal(empty, 'data_not_ready', /has no history/, dataDir)
    })
  })
})
