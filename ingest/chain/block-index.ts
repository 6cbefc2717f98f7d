import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { type BlockFolder, blockFile, diskError, openError } from './block-folder.ts'
import { type BlockRecords, findBlocks } from './block-records.ts'
import { BlockTable } from './block-table.ts'
import { BlockTree } from './block-tree.ts'
import { type BlockFileState, HeaderCache } from './header-cache.ts'
import type { Network } from './networks.ts'
import { SequentialReader } from './sequential-reader.ts'
import { TableCache } from './table-cache.ts'

/** Files at the end that are read anew each time, since a file's size says nothing about its growth. */
const growingFiles = 2

/** With so many finished files that are not in it yet, the table of all blocks is stored anew. */
const defaultMinNewFiles = 64

/** A little more than files of the main network hold on average. */
const blocksPerFile = 200

/** Hears that a finished file was read from its beginning to its end, and that its blocks are in the tree. */
export type OnFileRead = (tree: BlockTree, fileNumber: number) => Promise<void>

/**
 * Finds every block in the files of a folder. What finished files hold is remembered in `cacheFolder`, so that a later
 * run reads only the newest files. Files of which nothing is remembered are read whole and in their order, as a hard disk
 * likes it: to seek from header to header would take it longer than to read all. `onFileRead` can use what was read while
 * the operating system still has it in memory. The headers of files that a node has pruned since are still known.
 * Throws `pruned` where they are not, `wrong_network` where genesis is missing, `source_unreadable`, and what `onFileRead` throws.
 */
export async function readBlockTree(
  blocks: BlockFolder,
  network: Network,
  cacheFolder: string,
  onFileRead: OnFileRead = async () => {},
  minNewFiles = defaultMinNewFiles,
): Promise<BlockTree> {
  mkdirSync(cacheFolder, { recursive: true })
  const cache = new HeaderCache(cacheFolder, network.magic, blocks.key)
  const tables = new TableCache(cacheFolder, network.magic, blocks.key, network.easiestBits)
  const finished = blocks.fileNumbers.slice(0, -growingFiles)
  const states = new Map(finished.map((number) => [number, readFileState(blockFile(blocks.folder, number))]))
  const expected = blocksPerFile * blocks.fileNumbers.length
  const there = new Set(blocks.fileNumbers)
  const stored = tables.read(expected, (number, { bytes, ctimeMs }) => {
    const state = states.get(number)
    return state ? state.bytes === bytes && state.ctimeMs === ctimeMs : !there.has(number)
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
    else {
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
    tree.add(fileNumber, readHeaders(blockFile(blocks.folder, fileNumber), network.magic, blocks.key))
  }
  // Throws where the folder belongs to another network.
  tree.genesisRow()
  return tree
}

/**
 * Files that were pruned come first: their blocks were scanned as units of their own. Those of which the tree knows
 * `added` are passed over. Returns the numbers of all.
 */
function addPrunedFiles(
  tree: BlockTree,
  { folder, fileNumbers }: BlockFolder,
  cache: HeaderCache,
  added?: ReadonlySet<number>,
): number[] {
  const there = new Set(fileNumbers)
  const gone: number[] = []
  let known = true
  for (let fileNumber = 0; fileNumber < fileNumbers.at(-1)!; fileNumber++) {
    if (there.has(fileNumber)) continue
    gone.push(fileNumber)
    if (added?.has(fileNumber)) continue
    const records = cache.readPruned(path.basename(blockFile(folder, fileNumber)))
    if (records) tree.add(fileNumber, records)
    else if (fileNumber < fileNumbers[0]!) known = false
  }
  if (known) return gone
  const first = tree.hasGenesis ? tree.bestChain().chain.tipHeight + 1 : 0
  const begins = `${folder} begins with ${path.basename(blockFile(folder, fileNumbers[0]!))}`
  throw new CoinstrataError(
    'pruned',
    `${begins}: the files before it are gone, as on a pruned node, and with them block ${first}, which is not scanned yet`,
    { cure: prunedCure },
  )
}

/** What to do about blocks that a pruned node no longer has. */
export const prunedCure =
  'use a node that still has the block, or set prune=0 and let this one download the chain again; a pruned node is enough ' +
  'from then on, as long as every block is scanned before it is pruned'

function readFileState(file: string): BlockFileState {
  try {
    const { size, ctimeMs } = statSync(file)
    return { name: path.basename(file), bytes: size, ctimeMs }
  } catch (cause) {
    throw openError(file, cause)
  }
}

/** Reads the headers of a block file and skips what lies between them. */
function readHeaders(file: string, magic: number, key: Uint8Array): BlockRecords {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (cause) {
    throw openError(file, cause)
  }
  let buffer = new Uint8Array(1024)
  const readRaw = (offset: number, length: number): Uint8Array => {
    if (buffer.length < length) buffer = new Uint8Array(length)
    const bytes = buffer.subarray(0, length)
    try {
      readSync(descriptor, bytes, 0, length, offset)
    } catch (cause) {
      throw diskError(file, offset, cause)
    }
    return bytes
  }
  try {
    return findBlocks(readRaw, fstatSync(descriptor).size, magic, key)
  } finally {
    closeSync(descriptor)
  }
}
