import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockIndex } from '#ingest/chain/block-index.ts'
import { BlockTree } from '#ingest/chain/block-tree.ts'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { refuseHoles } from '#ingest/chain/holes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { networks } from '#ingest/chain/networks.ts'

/** Half of all hashes fit this target, a hundredth of them the harder one. */
const easyBits = 0x207fffff
const hardBits = 0x20028f5c

const hashes = new Map<Uint8Array, Uint8Array>()

function hashOf(header: Uint8Array): Uint8Array {
  const known = hashes.get(header) ?? doubleSha256(header)
  hashes.set(header, known)
  return known
}

let made = 0

/** A header with proof of work on top of another. */
function childOf(parent: Uint8Array | undefined, bits = easyBits): Uint8Array {
  const header = Buffer.alloc(80)
  if (parent) header.set(hashOf(parent), 4)
  header.writeUInt32LE(made++, 36)
  header.writeUInt32LE(bits, 72)
  const highest = bits === easyBits ? 0x7f : 0x02
  for (let nonce = 0; (doubleSha256(header)[31] ?? 0) >= highest; nonce++) header.writeUInt32LE(nonce, 76)
  return header
}

function branchOn(parent: Uint8Array, length: number, bits = easyBits): Uint8Array[] {
  const branch: Uint8Array[] = []
  for (let i = 0; i < length; i++) branch.push(childOf(branch.at(-1) ?? parent, bits))
  return branch
}

const genesis = childOf(undefined)
const network: Network = {
  ...networks.regtest,
  genesisHash: Buffer.from(hashOf(genesis)).reverse().toString('hex'),
}

/** A block folder whose files hold these headers in this order. */
function indexOf(...files: ReadonlyArray<readonly Uint8Array[]>): BlockIndex {
  return {
    folder: '/blocks',
    key: new Uint8Array(8),
    files: files.map((headers, fileNumber) => ({
      fileNumber,
      fileBytes: 1000 * headers.length,
      offsets: Uint32Array.from(headers, (_, i) => 1000 * i + 8),
      sizes: new Uint32Array(headers.length).fill(992),
      headers: Buffer.concat(headers),
    })),
  }
}

const treeOf = (...files: ReadonlyArray<readonly Uint8Array[]>): BlockTree => new BlockTree(indexOf(...files), network)

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

/** Hashes of a stored chain in height order. */
function chainHashes(stored: ReturnType<BlockTree['chainTo']>): string[] {
  const { hashes: joined, tipHeight } = stored?.chain ?? { hashes: new Uint8Array(0), tipHeight: -1 }
  return Array.from({ length: tipHeight + 1 }, (_, height) => hex(joined.subarray(32 * height, 32 * height + 32)))
}

const hashesOf = (headers: readonly Uint8Array[]): string[] => headers.map((header) => hex(hashOf(header)))

describe('the tree of stored blocks', () => {
  it('finds the chain in blocks stored in any order, in any files', () => {
    const chain = [genesis, ...branchOn(genesis, 30)]
    const order = fc.shuffledSubarray(chain, { minLength: chain.length })
    fc.assert(
      fc.property(order, fc.nat(30), (shuffled, cut) => {
        const tree = treeOf(shuffled.slice(0, cut), shuffled.slice(cut))
        const stored = tree.bestChain()
        expect(chainHashes(stored)).toEqual(hashesOf(chain))
        for (const [height, { file, record }] of stored.locations.entries()) {
          expect(shuffled[(file === 0 ? 0 : cut) + record]).toBe(chain[height])
        }
        expect(tree.unconnected).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  it('takes the branch with the most work, not the longest', () => {
    const long = branchOn(genesis, 6)
    const hard = branchOn(genesis, 2, hardBits)
    expect(chainHashes(treeOf([genesis, ...long, ...hard]).bestChain())).toEqual(hashesOf([genesis, ...hard]))
    // 100 hashes for each hard block, 2 for each easy one.
    const longer = branchOn(genesis, 101)
    expect(chainHashes(treeOf([genesis, ...hard, ...longer]).bestChain())).toEqual(hashesOf([genesis, ...longer]))
  })

  it('stops at the common ancestor where several branches have the same work', () => {
    const trunk = [genesis, ...branchOn(genesis, 3)]
    const fork = trunk.at(-1) ?? genesis
    const branches = [branchOn(fork, 2), branchOn(fork, 2), branchOn(fork, 1)]
    expect(chainHashes(treeOf(trunk, ...branches).bestChain())).toEqual(hashesOf(trunk))
    const decided = childOf(branches[1]?.at(-1))
    const best = [...trunk, ...(branches[1] ?? []), decided]
    expect(chainHashes(treeOf(trunk, ...branches, [decided]).bestChain())).toEqual(hashesOf(best))
  })

  it('finds the common ancestor of branches that forked at different heights', () => {
    const trunk = [genesis, ...branchOn(genesis, 4)]
    const branches = [
      branchOn(trunk[4] ?? genesis, 3),
      branchOn(trunk[2] ?? genesis, 5),
      branchOn(trunk[3] ?? genesis, 4),
    ]
    expect(chainHashes(treeOf(...branches, trunk).bestChain())).toEqual(hashesOf(trunk.slice(0, 3)))
  })

  it('gives the chain of a pinned block, though another has more work', () => {
    const trunk = [genesis, ...branchOn(genesis, 5)]
    const stale = branchOn(trunk[2] ?? genesis, 2)
    const tree = treeOf(trunk, stale)
    expect(chainHashes(tree.chainTo(hashOf(stale[1] ?? genesis)))).toEqual(hashesOf([...trunk.slice(0, 3), ...stale]))
    expect(tree.chainTo(new Uint8Array(32))).toBeUndefined()
  })

  it('takes another copy of a block whose first has no undo record, and goes around a block that has none', () => {
    const chain = [genesis, ...branchOn(genesis, 3)]
    const third = chain[2] ?? genesis
    const sibling = childOf(chain[1])
    const tree = treeOf([...chain, third, sibling])
    expect(tree.bestChain().locations[2]).toEqual({ file: 0, record: 2 })
    tree.markUnproved({ file: 0, record: 2 })
    expect(tree.bestChain().locations[2]).toEqual({ file: 0, record: 4 })
    tree.markUnproved({ file: 0, record: 4 })
    expect(chainHashes(tree.bestChain())).toEqual(hashesOf([...chain.slice(0, 2), sibling]))
    expect(tree.chainTo(hashOf(chain[3] ?? genesis))).toBeUndefined()
  })

  it('counts blocks that wait for the ones before them', () => {
    const chain = [genesis, ...branchOn(genesis, 20)]
    const tree = treeOf(chain.filter((_, height) => height !== 10))
    expect(tree.unconnected).toBe(10)
    expect(chainHashes(tree.bestChain())).toEqual(hashesOf(chain.slice(0, 10)))
  })

  it('refuses files in which more blocks hang in the air than a node downloads ahead', () => {
    const chain = [genesis, ...branchOn(genesis, 1026)]
    const refuse = (...headers: Uint8Array[]) => {
      const index = indexOf(headers)
      return refuseHoles(index, network.magic, new BlockTree(index, network))
    }
    expect(() => refuse(...chain.filter((_, height) => height !== 2))).not.toThrow()
    const missing = Buffer.from(hashOf(chain[1] ?? genesis))
      .reverse()
      .toString('hex')
    const child = Buffer.from(hashOf(chain[2] ?? genesis))
      .reverse()
      .toString('hex')
    expect(() => refuse(...chain.filter((_, height) => height !== 1))).toThrow(
      expect.objectContaining({
        code: 'chain_incomplete',
        message: `a block is missing or damaged: ${missing}, the parent of ${child}, which stands in /blocks/blk00000.dat at offset 1008`,
      }),
    )
  })

  it('passes over a record whose header has lost its proof of work, be it child of a known block or not', () => {
    const chain = [genesis, ...branchOn(genesis, 4, hardBits)]
    const damaged = Buffer.from(childOf(chain[4], hardBits))
    // A timestamp that is off by a bit, in a copy that no longer has the work (99 of 100 have not).
    for (let bit = 0; (doubleSha256(damaged)[31] ?? 0) < 3; bit++) damaged.writeUInt32LE(1 << bit, 68)
    const tree = treeOf([...chain, damaged])
    expect(tree.unproven).toBe(1)
    expect(chainHashes(tree.bestChain())).toEqual(hashesOf(chain))
  })

  it('refuses files of another network', () => {
    expect(() => treeOf(branchOn(childOf(undefined), 3))).toThrow(expect.objectContaining({ code: 'wrong_network' }))
  })
})
