import { describe, expect, it } from 'vitest'
import { planFileUnits, planStoredUnits } from '#ingest/chain/file-unit.ts'
import { chainOfColumns, hashesOf } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'

const blocks = 12
const hashes = Uint8Array.from({ length: 32 * blocks }, (_, i) => Math.floor(i / 32))
const chain = chainOfColumns({
  hashes,
  times: new Uint32Array(blocks),
  bits: new Uint32Array(blocks).fill(0x207f_ffff),
})
const fileNumbers = Uint32Array.of(0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 2)
const offsets = Uint32Array.from({ length: blocks }, (_, height) => 1000 + height)
const sizes = Uint32Array.from({ length: blocks }, (_, height) => 100 + height)

function plan(present: readonly number[], ...lists: readonly number[][]) {
  const folder = { folder: '/blocks', key: new Uint8Array(8), fileNumbers: present }
  const stored = { chain, locations: { fileNumbers, offsets, sizes } }
  const given = lists.map((heights) => Uint32Array.from(heights))
  return [
    ...planStoredUnits(folder, stored, given),
    ...planFileUnits(folder, networks.regtest, stored, undefined, given),
  ]
}

describe('units of block files', () => {
  it('leave out blocks that were scanned over RPC, and count them', () => {
    const units = plan([0, 1, 2], [0, 1, 2, 3, 4], [5, 6])
    expect(units.map(({ kind, heights }) => [kind, heights.join()])).toEqual([
      ['stored', '0,1,2,3,4'],
      ['stored', '5,6'],
      ['files', '7'],
      ['files', '8,9,10,11'],
    ])
    const [offsets, sizes] = [Uint32Array.of(1007), Uint32Array.of(107)]
    expect(units[2]).toMatchObject({ storedBlocks: 3, offsets, sizes })
    expect(units[3]).toMatchObject({ storedBlocks: 0, prunedReason: undefined })
    for (const unit of units) expect(unit.hashes).toEqual(hashesOf(chain, unit.heights))
  })

  it('say of what was scanned, too, which file is gone', () => {
    const reasons = plan([1, 2], [1, 2, 3], [5, 6]).map(({ heights, prunedReason }) => [heights.join(), prunedReason])
    const gone = '/blocks/blk00000.dat is gone, as on a pruned node'
    expect(reasons).toEqual([
      ['1,2,3', gone],
      ['5,6', undefined],
      ['0,4', gone],
      ['7', undefined],
      ['8,9,10,11', undefined],
    ])
  })
})
