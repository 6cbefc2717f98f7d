import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { locationAt } from '#ingest/chain/block-tree.ts'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { HeaderCache } from '#ingest/chain/header-cache.ts'
import { tipHash } from '#ingest/chain/header-chain.ts'
import { type Network, networks } from '#ingest/chain/networks.ts'
import { deobfuscate } from '#ingest/chain/obfuscation.ts'
import { blockRecord } from '#test/support/core-records.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-index-'))
afterAll(() => rmSync(folder, { recursive: true }))

const key = Buffer.from('0123456789abcdef', 'hex')
const { magic } = networks.regtest

/** A header with proof of work, and some bytes of a block. */
function blockOn(parent: Uint8Array | undefined): Buffer {
  const block = Buffer.alloc(200, 7)
  block.fill(0, 4, 36)
  if (parent) block.set(doubleSha256(parent.subarray(0, 80)), 4)
  block.writeUInt32LE(0x207fffff, 72)
  for (let nonce = 0; doubleSha256(block.subarray(0, 80))[31]! >= 0x7f; nonce++) block.writeUInt32LE(nonce, 76)
  return block
}

const chain = [blockOn(undefined)]
while (chain.length < 40) chain.push(blockOn(chain.at(-1)))
const hashAtHeight = (height: number): string =>
  Buffer.from(doubleSha256(chain[height]!.subarray(0, 80)))
    .reverse()
    .toString('hex')
const network: Network = { ...networks.regtest, genesisHash: hashAtHeight(0) }

/** Ten blocks in each of four files, of which the last two may still grow. */
function writeBlocks(into: string): void {
  writeFileSync(path.join(into, 'xor.dat'), key)
  for (let file = 0; file < 4; file++) {
    const bytes = Buffer.concat(chain.slice(10 * file, 10 * file + 10).map((block) => blockRecord(magic, block)))
    deobfuscate(bytes, key, 0)
    writeFileSync(path.join(into, `blk0000${file}.dat`), bytes)
  }
}

const createFolder = (name: string): string => mkdtempSync(path.join(folder, name))

const readTip = async (blocks: string, cache: string): Promise<string> =>
  tipHash((await readBlockTree(openBlockFolder(blocks), network, cache)).bestChain().chain)

/** A folder of block files, and the cache that remembers those that are finished. */
async function remembered(): Promise<{ blocks: string; cache: string }> {
  const [blocks, cache] = [createFolder('blocks'), createFolder('cache')]
  writeBlocks(blocks)
  expect(await readTip(blocks, cache)).toBe(hashAtHeight(39))
  return { blocks, cache }
}

describe('the headers of block files', () => {
  it('of finished files are remembered', async () => {
    const { blocks, cache } = await remembered()
    // The cache is used: a second file without blocks in its entry ends the chain.
    const state = statSync(path.join(blocks, 'blk00001.dat'))
    const none = { offsets: new Uint32Array(0), sizes: new Uint32Array(0) }
    new HeaderCache(cache, magic, key).write(
      { name: 'blk00001.dat', bytes: state.size, ctimeMs: state.ctimeMs },
      { ...none, hashes: new Uint8Array(0), headers: new Uint8Array(0) },
    )
    expect(await readTip(blocks, cache)).toBe(hashAtHeight(9))
  })

  it('are read again where what was remembered is damaged, wherever that may be', async () => {
    const { blocks, cache } = await remembered()
    const file = path.join(cache, 'blk00001.headers')
    const intact = readFileSync(file)
    const damages = Array.from({ length: Math.floor(intact.length / 31) }, (_, i) => {
      const at = 31 * i
      const bytes = Buffer.from(intact)
      bytes[at]! ^= 1 << (i % 8)
      return bytes
    })
    for (const damaged of [...damages, intact.subarray(0, -120), intact.subarray(0, 10), Buffer.alloc(0)]) {
      writeFileSync(file, damaged)
      expect(await readTip(blocks, cache)).toBe(hashAtHeight(39))
      expect(readFileSync(file).equals(intact)).toBe(true)
    }
  })

  it('are read again where the file changed, though its size and time of modification are the same', async () => {
    const { blocks, cache } = await remembered()
    const file = path.join(blocks, 'blk00001.dat')
    const { atime, mtime } = statSync(file)
    const bytes = readFileSync(file)
    // The magic before the fifteenth block.
    bytes[4 * 208]! ^= 1
    writeFileSync(file, bytes)
    utimesSync(file, atime, mtime)
    expect(await readTip(blocks, cache)).toBe(hashAtHeight(13))
    bytes[4 * 208]! ^= 1
    writeFileSync(file, bytes)
    expect(await readTip(blocks, cache)).toBe(hashAtHeight(39))
  })

  it('of the newest files are read each time', async () => {
    const { blocks, cache } = await remembered()
    const next = blockOn(chain.at(-1))
    const record = Buffer.from(blockRecord(magic, next))
    const file = path.join(blocks, 'blk00003.dat')
    deobfuscate(record, key, statSync(file).size)
    appendFileSync(file, record)
    expect(await readTip(blocks, cache)).toBe(
      Buffer.from(doubleSha256(next.subarray(0, 80)))
        .reverse()
        .toString('hex'),
    )
  })
})

describe('the table of all blocks', () => {
  /** Reads the tree and stores the table after every new finished file. */
  async function readWithTable(blocks: string, cache: string) {
    const tree = await readBlockTree(openBlockFolder(blocks), network, cache, undefined, 1)
    const { chain, locations } = tree.bestChain()
    const { unproven, unconnected } = tree
    const orphans = tree.orphans.map(({ hash, copies }) => [Buffer.from(hash).toString('hex'), copies])
    tree.markWithoutUndo(locationAt(locations, 2))
    const secondCopy = locationAt(tree.bestChain().locations, 2)
    return { tip: tipHash(chain), locations, unproven, unconnected, orphans, secondCopy }
  }

  /**
   * Four files of ten blocks. The first also holds a second copy, a block without its parent, and a
   * header without work.
   */
  async function stored(): Promise<{ blocks: string; cache: string; file: string }> {
    const [blocks, cache] = [createFolder('blocks'), createFolder('cache')]
    writeBlocks(blocks)
    const stray = blockOn(blockOn(chain[3]!).fill(1, 76, 80))
    const idle = Buffer.from(chain[5]!)
    while (doubleSha256(idle.subarray(0, 80))[31]! < 0x80) idle.writeUInt32LE(idle.readUInt32LE(76) + 1, 76)
    const more = Buffer.concat([chain[2]!, stray, idle].map((block) => blockRecord(magic, block)))
    const first = path.join(blocks, 'blk00000.dat')
    deobfuscate(more, key, statSync(first).size)
    appendFileSync(first, more)
    await readWithTable(blocks, cache)
    return { blocks, cache, file: path.join(cache, 'blocks.table') }
  }

  it('gives the same tree as the files, alone and with files that came later', async () => {
    const { blocks, cache } = await stored()
    const fromFiles = await readWithTable(blocks, createFolder('cache'))
    expect(fromFiles).toMatchObject({ tip: hashAtHeight(39), unproven: 1, unconnected: 1, orphans: [{ length: 2 }] })
    expect(fromFiles.secondCopy).toMatchObject({ fileNumber: 0, offset: 10 * 208 + 8 })
    for (const name of ['blk00000.headers', 'blk00001.headers']) rmSync(path.join(cache, name))
    expect(await readWithTable(blocks, cache)).toEqual(fromFiles)
    expect(readdirSync(cache)).not.toContain('blk00000.headers')

    writeFileSync(path.join(blocks, 'blk00004.dat'), '')
    const more = await readWithTable(blocks, cache)
    expect(more).toEqual(fromFiles)
    // The third file is finished now, and its blocks are in the table.
    expect(readdirSync(cache)).not.toContain('blk00001.headers')
    rmSync(path.join(cache, 'blk00002.headers'))
    expect(await readWithTable(blocks, cache)).toEqual(fromFiles)
    expect(readdirSync(cache)).not.toContain('blk00002.headers')
  })

  it('is not used where it is damaged, wherever that may be', async () => {
    const { blocks, cache, file } = await stored()
    const fromFiles = await readWithTable(blocks, createFolder('cache'))
    const intact = readFileSync(file)
    const flipped = Array.from({ length: 60 }, (_, i) => {
      const bytes = Buffer.from(intact)
      bytes[i < 30 ? 7 * i : Math.floor((bytes.length * (i - 30)) / 30)]! ^= 1 << (i % 8)
      return bytes
    })
    for (const damaged of [...flipped, intact.subarray(0, -40), intact.subarray(0, 10), Buffer.alloc(0)]) {
      writeFileSync(file, damaged)
      expect(await readWithTable(blocks, cache)).toEqual(fromFiles)
      expect(readFileSync(file).equals(intact)).toBe(true)
    }
  })

  it('is made anew where a file changed, or may grow again, and keeps what a node has pruned', async () => {
    const { blocks, cache } = await stored()
    const file = path.join(blocks, 'blk00001.dat')
    const bytes = readFileSync(file)
    bytes[4 * 208]! ^= 1
    writeFileSync(file, bytes)
    expect((await readWithTable(blocks, cache)).tip).toBe(hashAtHeight(13))
    bytes[4 * 208]! ^= 1
    writeFileSync(file, bytes)
    const whole = await readWithTable(blocks, cache)
    expect(whole.tip).toBe(hashAtHeight(39))
    const last = path.join(blocks, 'blk00003.dat')
    const content = readFileSync(last)
    rmSync(last)
    expect((await readWithTable(blocks, cache)).tip).toBe(hashAtHeight(29))
    writeFileSync(last, content)
    expect(await readWithTable(blocks, cache)).toEqual(whole)
    rmSync(path.join(blocks, 'blk00000.dat'))
    rmSync(path.join(cache, 'blk00000.headers'))
    expect(await readWithTable(blocks, cache)).toEqual(whole)
  })
})
