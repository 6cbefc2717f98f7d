import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockFolder } from '#ingest/chain/block-folder.ts'
import type { BlockRecords } from '#ingest/chain/block-records.ts'
import { BlockTree, locationAt } from '#ingest/chain/block-tree.ts'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { refuseHoles } from '#ingest/chain/holes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { networks } from '#ingest/chain/networks.ts'
import { NaiveTree } from './naive-tree.ts'

/** Half of all hashes fit this target, a hundredth of them the harder one. */
const easyBits = 0x207fffff
const hardBits = 0x20028f5c

const hashes = new Map<Uint8Array, Uint8Array>()

function hashHeader(header: Uint8Array): Uint8Array {
  const known = hashes.get(header) ?? doubleSha256(header)
  hashes.set(header, known)
  return known
}

let nextId = 0

/** A header with proof of work on top of another. */
function createChild(parent: Uint8Array | undefined, bits = easyBits): Uint8Array {
  const header = Buffer.alloc(80)
  if (parent) header.set(hashHeader(parent), 4)
  header.writeUInt32LE(nextId++, 36)
  header.writeUInt32LE(bits, 72)
  const highest = bits === easyBits ? 0x7f : 0x02
  for (let nonce = 0; (doubleSha256(header)[31] ?? 0) >= highest; nonce++) header.writeUInt32LE(nonce, 76)
  return header
}

function branchOn(parent: Uint8Array, length: number, bits = easyBits): Uint8Array[] {
  const branch: Uint8Array[] = []
  for (let i = 0; i < length; i++) branch.push(createChild(branch.at(-1) ?? parent, bits))
  return branch
}

const genesis = createChild(undefined)
const network: Network = {
  ...networks.regtest,
  genesisHash: Buffer.from(hashHeader(genesis)).reverse().toString('hex'),
}

const createRecords = (headers: readonly Uint8Array[]): BlockRecords => ({
  offsets: Uint32Array.from(headers, (_, i) => 1000 * i + 8),
  sizes: new Uint32Array(headers.length).fill(992),
  hashes: Buffer.concat(headers.map(hashHeader)),
  headers: Buffer.concat(headers),
})

const location = (fileNumber: number, record: number) => ({ fileNumber, offset: 1000 * record + 8, size: 992 })

function createTree(...files: ReadonlyArray<readonly Uint8Array[]>): BlockTree {
  const tree = new BlockTree('/blocks', network)
  for (const [fileNumber, headers] of files.entries()) tree.add(fileNumber, createRecords(headers))
  tree.genesisRow()
  return tree
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

/** Hashes of a stored chain in height order. */
function chainHashes(stored: ReturnType<BlockTree['chainTo']>): string[] {
  const { hashes: joined, tipHeight } = stored?.chain ?? { hashes: new Uint8Array(0), tipHeight: -1 }
  return Array.from({ length: tipHeight + 1 }, (_, height) => hex(joined.subarray(32 * height, 32 * height + 32)))
}

const hashHeaders = (headers: readonly Uint8Array[]): string[] => headers.map((header) => hex(hashHeader(header)))

describe('the tree of stored blocks', () => {
  it('finds the chain in blocks stored in any order, in any files', () => {
    const chain = [genesis, ...branchOn(genesis, 30)]
    const order = fc.shuffledSubarray(chain, { minLength: chain.length })
    fc.assert(
      fc.property(order, fc.nat(30), (shuffled, cut) => {
        const tree = createTree(shuffled.slice(0, cut), shuffled.slice(cut))
        const stored = tree.bestChain()
        expect(chainHashes(stored)).toEqual(hashHeaders(chain))
        for (const [height, header] of chain.entries()) {
          const record = shuffled.indexOf(header)
          const expected = record < cut ? location(0, record) : location(1, record - cut)
          expect(locationAt(stored.locations, height)).toEqual(expected)
        }
        expect(tree.unconnected).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  it('finds a chain of many thousand blocks, whatever their order', () => {
    const chain = [genesis, ...branchOn(genesis, 9_000)]
    const stored = createTree(chain.slice(5_000), chain.slice(0, 5_000).reverse()).bestChain()
    expect(chainHashes(stored)).toEqual(hashHeaders(chain))
    expect(stored.chain.work).toBe(2n * BigInt(chain.length))
  })

  it('takes the branch with the most work, not the longest', () => {
    const long = branchOn(genesis, 6)
    const hard = branchOn(genesis, 2, hardBits)
    expect(chainHashes(createTree([genesis, ...long, ...hard]).bestChain())).toEqual(hashHeaders([genesis, ...hard]))
    // 100 hashes for each hard block, 2 for each easy one.
    const longer = branchOn(genesis, 101)
    expect(chainHashes(createTree([genesis, ...hard, ...longer]).bestChain())).toEqual(
      hashHeaders([genesis, ...longer]),
    )
  })

  it('stops at the common ancestor where several branches have the same work', () => {
    const trunk = [genesis, ...branchOn(genesis, 3)]
    const fork = trunk.at(-1) ?? genesis
    const branches = [branchOn(fork, 2), branchOn(fork, 2), branchOn(fork, 1)]
    expect(chainHashes(createTree(trunk, ...branches).bestChain())).toEqual(hashHeaders(trunk))
    const decided = createChild(branches[1]?.at(-1))
    const best = [...trunk, ...(branches[1] ?? []), decided]
    expect(chainHashes(createTree(trunk, ...branches, [decided]).bestChain())).toEqual(hashHeaders(best))
  })

  it('finds the common ancestor of branches that forked at different heights', () => {
    const trunk = [genesis, ...branchOn(genesis, 4)]
    const branches = [
      branchOn(trunk[4] ?? genesis, 3),
      branchOn(trunk[2] ?? genesis, 5),
      branchOn(trunk[3] ?? genesis, 4),
    ]
    expect(chainHashes(createTree(...branches, trunk).bestChain())).toEqual(hashHeaders(trunk.slice(0, 3)))
  })

  it('gives the chain of a pinned block, though another has more work', () => {
    const trunk = [genesis, ...branchOn(genesis, 5)]
    const stale = branchOn(trunk[2] ?? genesis, 2)
    const tree = createTree(trunk, stale)
    expect(chainHashes(tree.chainTo(hashHeader(stale[1] ?? genesis)))).toEqual(
      hashHeaders([...trunk.slice(0, 3), ...stale]),
    )
    expect(tree.chainTo(new Uint8Array(32))).toBeUndefined()
  })

  it('takes another copy of a block whose first has no undo record, and goes around a block that has none', () => {
    const chain = [genesis, ...branchOn(genesis, 3)]
    const third = chain[2] ?? genesis
    const sibling = createChild(chain[1])
    const tree = createTree([...chain, third, sibling])
    expect(locationAt(tree.bestChain().locations, 2)).toEqual(location(0, 2))
    tree.markWithoutUndo(location(0, 2))
    expect(locationAt(tree.bestChain().locations, 2)).toEqual(location(0, 4))
    tree.markWithoutUndo(location(0, 4))
    expect(chainHashes(tree.bestChain())).toEqual(hashHeaders([...chain.slice(0, 2), sibling]))
    expect(tree.chainTo(hashHeader(chain[3] ?? genesis))).toBeUndefined()
  })

  it('counts blocks that wait for the ones before them', () => {
    const chain = [genesis, ...branchOn(genesis, 20)]
    const tree = createTree(chain.filter((_, height) => height !== 10))
    expect(tree.unconnected).toBe(10)
    expect(chainHashes(tree.bestChain())).toEqual(hashHeaders(chain.slice(0, 10)))
  })

  it('refuses files in which more blocks hang in the air than a node downloads ahead', () => {
    const chain = [genesis, ...branchOn(genesis, 1026)]
    const blocks: BlockFolder = { folder: '/blocks', key: new Uint8Array(8), fileNumbers: [0] }
    const refuse = (...headers: Uint8Array[]) => refuseHoles(blocks, network.magic, createTree(headers))
    expect(() => refuse(...chain.filter((_, height) => height !== 2))).not.toThrow()
    const missing = Buffer.from(hashHeader(chain[1] ?? genesis))
      .reverse()
      .toString('hex')
    const child = Buffer.from(hashHeader(chain[2] ?? genesis))
      .reverse()
      .toString('hex')
    expect(() => refuse(...chain.filter((_, height) => height !== 1))).toThrow(
      expect.objectContaining({
        code: 'chain_incomplete',
        message: `a block is missing or damaged: ${missing}, the parent of ${child}, which is in /blocks/blk00000.dat at offset 1008`,
      }),
    )
  })

  it('passes over a record whose header has lost its proof of work, be it child of a known block or not', () => {
    const chain = [genesis, ...branchOn(genesis, 4, hardBits)]
    const damaged = Buffer.from(createChild(chain[4], hardBits))
    // A timestamp with a flipped bit, in a copy without proof of work (as 99 of 100 such copies).
    for (let bit = 0; (doubleSha256(damaged)[31] ?? 0) < 3; bit++) damaged.writeUInt32LE(1 << bit, 68)
    const tree = createTree([...chain, damaged])
    expect(tree.unproven).toBe(1)
    expect(chainHashes(tree.bestChain())).toEqual(hashHeaders(chain))
  })

  it('is what a tree of objects finds, for any branches, copies, holes, damage and missing undo records', () => {
    // Few parents give many branches, often with equal work.
    const blocks = [genesis]
    for (let i = 1; i < 60; i++)
      blocks.push(createChild(blocks[Math.floor((i * (i % 7)) / 7)], i % 5 === 0 ? hardBits : easyBits))
    const damaged = Buffer.from(blocks[1] ?? genesis)
    damaged.writeUInt32LE(0x1d00ffff, 72)
    const header = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...blocks) }, fc.constant<Uint8Array>(damaged))
    const files = fc.array(fc.array(header, { maxLength: 60 }), { minLength: 1, maxLength: 4 })
    const mark = fc.tuple(fc.nat(3), fc.nat(59))
    let branched = 0
    fc.assert(
      fc.property(files, fc.array(mark, { maxLength: 10 }), fc.nat(59), (held, marks, pinned) => {
        const stored = [[genesis], ...held]
        const tree = createTree(...stored)
        const naive = new NaiveTree(stored, hashHeader, hashHeader(genesis), easyBits)
        const pin = hashHeader(blocks[pinned] ?? genesis)
        const compare = () => {
          const best = tree.bestChain()
          const expected = naive.bestChain()
          expect(chainHashes(best)).toEqual(expected.map(({ hash }) => hash))
          for (const [height, { places }] of expected.entries()) {
            const { fileNumber, record } = places.find((place) => !naive.withoutUndo.has(place)) ?? places[0]!
            expect(locationAt(best.locations, height)).toEqual(location(fileNumber, record))
          }
          const pinnedChain = naive.chainTo(hex(pin))
          expect(tree.chainTo(pin) && chainHashes(tree.chainTo(pin))).toEqual(pinnedChain?.map(({ hash }) => hash))
          expect(best.chain.work).toBe(expected.reduce((sum, { work }) => sum + work, 0n))
          if (naive.tips() > 1) branched++
        }
        compare()
        const { orphans, unproven, unconnected } = tree
        expect(orphans.map(({ hash }) => hex(hash))).toEqual(naive.orphans().map(({ hash }) => hash))
        expect(orphans.map(({ previousHash }) => hex(previousHash))).toEqual(
          naive.orphans().map(({ parent }) => parent),
        )
        const below = tree.orphanAncestor(pin)
        expect(below && hex(below.hash)).toBe(naive.orphanAncestor(hex(pin))?.hash)
        expect({ unproven, unconnected }).toEqual({ unproven: naive.unproven, unconnected: naive.unconnected() })
        for (const [fileNumber, record] of marks) {
          tree.markWithoutUndo(location(fileNumber, record))
          naive.markWithoutUndo(fileNumber, record)
        }
        if (marks.every(([fileNumber, record]) => fileNumber > 0 || record > 0)) compare()
        expect(tree.unconnected).toBe(unconnected)
      }),
      { numRuns: 300 },
    )
    expect(branched).toBeGreaterThan(60)
  })

  it('refuses files of another network', () => {
    expect(() => createTree(branchOn(createChild(undefined), 3))).toThrow(
      expect.objectContaining({ code: 'wrong_network' }),
    )
  })
})
