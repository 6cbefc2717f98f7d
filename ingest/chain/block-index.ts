import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import { type BlockFolder, blockFile, unhealthy, unreadable } from './block-folder.ts'
import { type BlockRecords, findBlocks } from './block-records.ts'
import { BlockTree } from './block-tree.ts'
import { type BlockFileState, HeaderCache } from './header-cache.ts'
import type { Network } from './networks.ts'
import { SequentialReader } from './sequential-reader.ts'

/** Files at the end that are read anew each time, since a file's size says nothing about its growth. */
const growingFiles = 2

/** A little more than files of the main network hold on average. */
const blocksPerFile = 200

/** Hears that a finished file was read from its beginning to its end, and that its blocks are in the tree. */
export type OnFileRead = (tree: BlockTree, fileNumber: number) => Promise<void>

/**
 * Finds every block in the files of a folder. What finished files hold is remembered in `cacheFolder`, so that a later
 * run reads only the newest files. Files of which nothing is remembered are read whole and in their order, as a hard disk
 * likes it: to seek from header to header would take it longer than to read all. `onFileRead` can use what was read while
 * the operating system still has it in memory.
 * Throws `wrong_network` where genesis is missing, `source_unreadable`, and what `onFileRead` throws.
 */
export async function readBlockTree(
  blocks: BlockFolder,
  network: Network,
  cacheFolder: string,
  onFileRead: OnFileRead = async () => {},
): Promise<BlockTree> {
  mkdirSync(cacheFolder, { recursive: true })
  const cache = new HeaderCache(cacheFolder, network.magic, blocks.key)
  const tree = new BlockTree(blocks.folder, network, blocksPerFile * blocks.fileNumbers.length)
  const reader = new SequentialReader()
  for (const [i, fileNumber] of blocks.fileNumbers.entries()) {
    const file = blockFile(blocks.folder, fileNumber)
    const finished = i < blocks.fileNumbers.length - growingFiles
    const cached = finished ? cache.read(stateOf(file)) : undefined
    if (cached) tree.add(fileNumber, cached)
    else if (!finished) tree.add(fileNumber, readHeaders(file, network.magic, blocks.key))
    else {
      const { bytes, changed } = await reader.read(file)
      const readRaw = (offset: number, length: number): Uint8Array => bytes.slice(offset, offset + length)
      const records = findBlocks(readRaw, bytes.length, network.magic, blocks.key)
      cache.write({ name: path.basename(file), bytes: bytes.length, changed }, records)
      tree.add(fileNumber, records)
      await onFileRead(tree, fileNumber)
    }
  }
  // Throws where the folder belongs to another network.
  tree.genesisRow()
  return tree
}

function stateOf(file: string): BlockFileState {
  try {
    const { size, ctimeMs } = statSync(file)
    return { name: path.basename(file), bytes: size, changed: ctimeMs }
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

/** Reads the headers of a block file and skips what lies between them. */
function readHeaders(file: string, magic: number, key: Uint8Array): BlockRecords {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (cause) {
    throw unreadable(file, cause)
  }
  let buffer = new Uint8Array(1024)
  const readRaw = (offset: number, length: number): Uint8Array => {
    if (buffer.length < length) buffer = new Uint8Array(length)
    const bytes = buffer.subarray(0, length)
    try {
      readSync(descriptor, bytes, 0, length, offset)
    } catch (cause) {
      throw unhealthy(file, offset, cause)
    }
    return bytes
  }
  try {
    return findBlocks(readRaw, fstatSync(descriptor).size, magic, key)
  } finally {
    closeSync(descriptor)
  }
}
