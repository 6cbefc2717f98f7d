import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#root/errors.ts'
import { type BlockFolder, blockFile, unreadable } from './block-folder.ts'
import { type BlockRecords, findBlocks } from './block-records.ts'
import { BlockTree } from './block-tree.ts'
import { type BlockFileState, HeaderCache } from './header-cache.ts'
import type { Network } from './networks.ts'

/** Files at the end that are read anew each time, since a file's size says nothing about its growth. */
const growingFiles = 2

/** A little more than files of the main network hold on average. */
const blocksPerFile = 200

/**
 * Finds every block in the files of a folder. What finished files hold is remembered in `cacheFolder`, so that a later
 * run reads only the newest files. Throws `wrong_network` where genesis is missing, `source_unreadable`.
 */
export function readBlockTree(blocks: BlockFolder, network: Network, cacheFolder: string): BlockTree {
  mkdirSync(cacheFolder, { recursive: true })
  const cache = new HeaderCache(cacheFolder, network.magic, blocks.key)
  const tree = new BlockTree(blocks.folder, network, blocksPerFile * blocks.fileNumbers.length)
  for (const [i, fileNumber] of blocks.fileNumbers.entries()) {
    const finished = i < blocks.fileNumbers.length - growingFiles
    const file = blockFile(blocks.folder, fileNumber)
    const cached = finished ? cache.read(stateOf(file)) : undefined
    tree.add(fileNumber, cached ?? readRecords(file, network.magic, blocks.key, finished ? cache : undefined))
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
function readRecords(file: string, magic: number, key: Uint8Array, cache: HeaderCache | undefined): BlockRecords {
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
      throw new CoinstrataError('source_unreadable', `cannot read ${file} at offset ${offset}`, {
        cause,
        cure: 'check the health of the disk, then run again',
      })
    }
    return bytes
  }
  try {
    const { size, ctimeMs } = fstatSync(descriptor)
    const records = findBlocks(readRaw, size, magic, key)
    cache?.write({ name: path.basename(file), bytes: size, changed: ctimeMs }, records)
    return records
  } finally {
    closeSync(descriptor)
  }
}
