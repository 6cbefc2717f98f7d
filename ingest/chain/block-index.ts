import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { type BlockFolder, blockFile } from './block-folder.ts'
import { type BlockRecords, findBlocks } from './block-records.ts'
import { BlockTable } from './block-table.ts'
import { BlockTree, locationAt } from './block-tree.ts'
import { openError } from './file-errors.ts'
import { type BlockFileState, HeaderCache } from './header-cache.ts'
import type { Network } from './networks.ts'
import { NodeFile } from './node-file.ts'
import { SequentialReader } from './sequential-reader.ts'
import { TableCache } from './table-cache.ts'

/** Newest files, read on each run: preallocation hides their growth. */
const growingFiles = 2

/** Finished files missing from the stored block table before it is rewritten. */
const defaultMinNewFiles = 64

/** Slightly above mainnet's average. */
const blocksPerFile = 200

/** Called when a finished file was read and its blocks are in the tree. */
export type OnFileRead = (tree: BlockTree, fileNumber: number) => Promise<void>

/**
 * Finds every block in the block files of a folder. Headers of finished files are cached in
 * `cacheFolder`: later runs read only the newest files and still know headers of pruned ones.
 * With `onFileRead`, which can use a file while it is in the page cache, uncached files are read in
 * full and in order; without it, only their headers are.
 */
export async function readBlockTree(
  blocks: BlockFolder,
  network: Network,
  cacheFolder: string,
  onFileRead?: OnFileRead,
  minNewFiles = defaultMinNewFiles,
): Promise<BlockTree> {
  mkdirSync(cacheFolder, { recursive: true })
  const cache = new HeaderCache(cacheFolder, network.magic, blocks.key)
  const tables = new TableCache(cacheFolder, network.magic, blocks.key, network.easiestBits)
  const finished = blocks.fileNumbers.slice(0, -growingFiles)
  const states = new Map(finished.map((number) => [number, readFileState(blockFile(blocks.folder, number))]))
  const expected = blocksPerFile * blocks.fileNumbers.length
  const present = new Set(blocks.fileNumbers)
  const stored = tables.read(expected, (number, { bytes, ctimeMs }) => {
    const state = states.get(number)
    return state ? state.bytes === bytes && state.ctimeMs === ctimeMs : !present.has(number)
  })
  const table = stored?.table ?? new BlockTable(network.easiestBits, expected)
  const tree = new BlockTree(blocks.folder, network, table)
  const reader = new SequentialReader()
  const gone = addPrunedFiles(tree, blocks, cache, stored?.fileNumbers)
  const open = finished.filter((number) => !stored?.fileNumbers.has(number))
  for (const fileNumber of open) {
    const file = blockFile(blocks.folder, fileNumber)
    const cached = cache.read(states.get(fileNumber)!)
    if (cached) tree.add(fileNumber, cached)
    else if (!onFileRead) {
      const records = readHeaders(file, network.magic, blocks.key)
      cache.write(states.get(fileNumber)!, records)
      tree.add(fileNumber, records)
    } else {
      const { bytes, ctimeMs } = await reader.read(file)
      const readRaw = (offset: number, length: number): Uint8Array => bytes.slice(offset, offset + length)
      const records = findBlocks(readRaw, bytes.length, network.magic, blocks.key)
      const state = { name: path.basename(file), bytes: bytes.length, ctimeMs }
      cache.write(state, records)
      states.set(fileNumber, state)
      tree.add(fileNumber, records)
      await onFileRead(tree, fileNumber)
    }
  }
  if (open.length >= minNewFiles) {
    tables.write(table, new Map([...gone.map((number) => [number, undefined] as const), ...states]))
  }
  for (const fileNumber of blocks.fileNumbers.slice(-growingFiles)) {
    const file = blockFile(blocks.folder, fileNumber)
    const records = readHeaders(file, network.magic, blocks.key)
    // The node may prune the file before the next run. No file has this state, so it is read again
    // while it exists.
    cache.write({ name: path.basename(file), bytes: 0, ctimeMs: 0 }, records)
    tree.add(fileNumber, records)
  }
  tree.genesisRow()
  if (gone.length > 0) refuseMissingEnd(tree, blocks)
  return tree
}

/** Adds blocks of pruned files not in `added`; returns the numbers of all pruned files. */
function addPrunedFiles(
  tree: BlockTree,
  { folder, fileNumbers }: BlockFolder,
  cache: HeaderCache,
  added?: ReadonlySet<number>,
): number[] {
  const present = new Set(fileNumbers)
  const gone: number[] = []
  let known = true
  for (let fileNumber = 0; fileNumber < fileNumbers.at(-1)!; fileNumber++) {
    if (present.has(fileNumber)) continue
    gone.push(fileNumber)
    if (added?.has(fileNumber)) continue
    const records = cache.readPruned(path.basename(blockFile(folder, fileNumber)))
    if (records) tree.add(fileNumber, records)
    else if (fileNumber < fileNumbers[0]!) known = false
  }
  if (known) return gone
  const first = tree.hasGenesis ? tree.bestChain().chain.tipHeight + 1 : 0
  throw pruned(first, describeGone(folder, fileNumbers))
}

export const describeGone = (folder: string, [first]: readonly number[]): string =>
  `${folder} begins with ${path.basename(blockFile(folder, first!))}, and the files before it are gone, as on a pruned node`

/**
 * Fails if the chain ends in a pruned file, to which the node added blocks after it was last read.
 */
function refuseMissingEnd(tree: BlockTree, { folder, fileNumbers }: BlockFolder): void {
  const { chain, locations } = tree.bestChain()
  if (locationAt(locations, chain.tipHeight).fileNumber < fileNumbers[0]!) {
    throw pruned(chain.tipHeight + 1, describeGone(folder, fileNumbers))
  }
}

/** `height`: first missing block that is needed. */
export const pruned = (height: number, reason: string): CoinstrataError =>
  new CoinstrataError('pruned', `${reason}; block ${height}, which is not scanned yet, is needed`, {
    cure:
      'take the history of another operator with "coinstrata bootstrap" (docs/operate.md), use a node that still has ' +
      'the block, or set prune=0 and let this one download the chain again; a pruned node is enough from then on, as ' +
      'long as every block is scanned before it is pruned',
  })

function readFileState(file: string): BlockFileState {
  try {
    const { size, ctimeMs } = statSync(file)
    return { name: path.basename(file), bytes: size, ctimeMs }
  } catch (cause) {
    throw openError(file, cause)
  }
}

function readHeaders(path: string, magic: number, key: Uint8Array): BlockRecords {
  // A missing file counts as empty below, but throws here.
  readFileState(path)
  using file = new NodeFile()
  file.open(path, key)
  const readRaw = (offset: number, length: number): Uint8Array => {
    try {
      return file.readObfuscated(offset, length)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // The node cuts off preallocated space when it finishes a file.
      return new Uint8Array(length)
    }
  }
  return findBlocks(readRaw, file.size, magic, key)
}
