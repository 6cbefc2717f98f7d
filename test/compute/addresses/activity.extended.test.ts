import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeChain } from '#test/support/made-chain.ts'
import { addressesOf, chain, counted, expected, scan, useActivityFolder } from './support/activity-chain.ts'

const folder = useActivityFolder()

describe('active addresses', () => {
  const blocks = path.join(folder, 'blocks')
  const dataDir = path.join(folder, 'data')

  beforeAll(async () => {
    await writeChain(blocks, chain, 480)
    await scan(dataDir, blocks)
  })

  it('are the same from a chain that grew by parts, and the sets of counted months are gone', async () => {
    const grown = path.join(folder, 'grown')
    const grownBlocks = path.join(folder, 'grown-blocks')
    for (const height of [100, 230, 330, 480]) {
      rmSync(grownBlocks, { recursive: true, force: true })
      await writeChain(grownBlocks, chain, height)
      await scan(grown, grownBlocks)
      counted(grown)
    }
    expect(counted(grown)).toEqual(expected)
  })

  it.each([['a count', /^2011-04.*\.counts$/]])(
    'are the same after %s is flipped, which is scanned again',
    async (_, pattern) => {
      const store = path.join(dataDir, 'raw/addresses')
      const name = addressesOf(dataDir).find((each) => pattern.test(each))
      if (name === undefined) return expect.fail(addressesOf(dataDir).join(' '))
      const bytes = readFileSync(path.join(store, name))
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(path.join(store, name), bytes)
      expect(() => counted(dataDir)).toThrow(expect.objectContaining({ code: 'data_not_ready' }))
      await scan(dataDir, blocks)
      expect(counted(dataDir)).toEqual(expected)
    },
  )

  it('survive a flip in a set whose month closes in the next scan', async () => {
    const flipped = path.join(folder, 'flipped')
    const flippedBlocks = path.join(folder, 'flipped-blocks')
    const scanTo = async (height: number): Promise<void> => {
      rmSync(flippedBlocks, { recursive: true, force: true })
      await writeChain(flippedBlocks, chain, height)
      await scan(flipped, flippedBlocks)
    }
    await scanTo(440)
    const store = path.join(flipped, 'raw/addresses')
    const names = addressesOf(flipped).filter((name) => name.endsWith('.sets'))
    for (const name of names) {
      const bytes = readFileSync(path.join(store, name))
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(path.join(store, name), bytes)
    }
    await scanTo(480)
    // Damaged files are removed, and an update scans their blocks again before it publishes.
    await scanTo(480)
    expect(counted(flipped)).toEqual(expected)
    expect(names.length).toBeGreaterThan(1)
  })
})
