import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { address, networks } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UpdateOptions } from '#compute/update.ts'
import { findBitcoind, type TestNode } from '#test/support/bitcoind.ts'
import { openScript } from '#test/support/coins.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { rowsOf, tableDifferences } from '#test/support/published.ts'
import { PrunedScene } from './support/pruned-node.ts'

const bitcoind = findBitcoind()

/** Addresses of scripts that anyone can spend, and one of the chain's wallet. */
const [first = '', second = '', third = '', fourth = ''] = (['sh', 'wsh', 'sh-wsh', 'future'] as const).map((lock) =>
  address.fromOutputScript(openScript(lock), networks.regtest),
)
const fifth = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

/** Lists of the nights, by label; the first is there before them, and one night changes nothing. */
const lists: readonly Readonly<Record<string, readonly string[]>>[] = [
  { Fund: [first], Exchange: [second, third] },
  { Exchange: [second] },
  { Fund: [fourth, first], Exchange: [second, third] },
  { Fund: [fourth, first], Exchange: [second, third] },
  {},
  { Bank: [third, fifth], Fund: [first] },
  { Bank: [first], Fund: [third], Exchange: [fifth, second, fourth] },
]
const knownAtFirst: ReadonlySet<string> = new Set([first, second, third])

function label(dataDir: string, own: Readonly<Record<string, readonly string[]>>, isListed = (_: string) => true) {
  const folder = path.join(dataDir, 'labels')
  mkdirSync(folder, { recursive: true })
  const lines = Object.entries(own).flatMap(([name, texts]) =>
    texts.filter(isListed).map((text) => `${text},${name}\n`),
  )
  writeFileSync(path.join(folder, 'own.csv'), `address,name\n${lines.join('') || `${first},Nobody\n`}`)
}

describe.skipIf(!bitcoind)('nights with changed labels', { timeout: 1_800_000 }, () => {
  let scene: PrunedScene
  beforeAll(async () => {
    scene = await PrunedScene.start(bitcoind!)
  })
  afterAll(() => scene?.stop())

  const update = (name: string, node: TestNode, options: UpdateOptions, source: 'files' | 'rpc') => {
    const { datadir, endpoint, blocksFolder } = node
    return updateFolder(scene.at(name), blocksFolder, options, {
      ...{ source, datadir, rpcUrl: endpoint.url, publishLabels: true },
    })
  }

  it('equals a computation from scratch, on a full and on a pruned node, and reads what new addresses need', async () => {
    const { node } = scene.chain
    label(scene.at('full'), lists[0]!)
    await update('full', node, {}, 'files')
    copyFolder(scene.at('full'), scene.at('kept'))
    const known = new Set(knownAtFirst)
    for (const [night, own] of lists.entries()) {
      if (night === 0) continue
      await scene.grow(1 + (night % 3))
      for (const name of ['full', 'kept']) label(scene.at(name), own)
      const added = Object.values(own)
        .flat()
        .filter((text) => !known.has(text))
      for (const text of added) known.add(text)
      const full = await update('full', node, { rescan: added.length > 0 }, 'files')
      const kept = await update('kept', scene.pruned, { rescan: true }, 'rpc')
      if (added.length > 0) expect(full.blocks).toBe(scene.chain.height + 1)
      else expect(full.blocks).toBeLessThan(145)
      expect(kept.blocks).toBeLessThan(145)
      if (night % 3 > 0) continue
      for (const [name, isListed] of [
        ['full', () => true],
        ['kept', (text: string) => knownAtFirst.has(text)],
      ] as const) {
        const scratch = `scratch-${name}-${night}`
        label(scene.at(scratch), own, isListed)
        await update(scratch, node, {}, 'files')
        expect(await tableDifferences(scene.at(name), scene.at(scratch)), `${name}, night ${night}`).toEqual({})
        const [found, others] = await Promise.all([name, scratch].map((at) => readLabelDays(scene.at(at))))
        expect(found, `${name}, night ${night}`).toEqual(others)
        expect(found!.length).toBeGreaterThan(100)
      }
    }
  })
})

const readLabelDays = (dataDir: string) => rowsOf(`FROM '${dataDir}/labels/label_days.parquet' ORDER BY ALL`)
