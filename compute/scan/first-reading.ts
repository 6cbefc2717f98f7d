import { existsSync, statSync } from 'node:fs'
import { type BlockFolder, blockFile, undoFile } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import type { BlockTree } from '#ingest/chain/block-tree.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { SequentialReader } from '#ingest/chain/sequential-reader.ts'
import type { ScanUnits } from './scan-units.ts'

/**
 * Files that reading may be ahead of the scan, and that are scanned at a time. They are read from the disk once if they
 * stay in the page cache that long, 2.5 GB with their undo files; if not, the scan reads them again.
 */
const mostAhead = 8

/** The chain is looked at again after so many files, since that takes a tenth of a second. */
const filesPerLook = 4

export interface FirstReadingOptions {
  /** So many bytes of the newest block files are not handed to the scan. */
  readonly leftBytes: number
  /** Where the chain will end, if that is known. */
  readonly tipHeight: number | undefined
}

/**
 * Reads the tree of blocks in a folder, and scans files that were never read before while the reading goes on, from the
 * page cache: a disk is then read once and in order, file by file, each with its undo file. A file is scanned once all
 * its blocks hang together with genesis, along the best chain known by then. Should a later file tell of a better one,
 * the segment does not fit the blocks that the file then contributes, and whoever scans that chain scans the file again.
 */
export async function readAndScan(
  blocks: BlockFolder,
  network: Network,
  cacheFolder: string,
  scanUnits: ScanUnits,
  { leftBytes, tipHeight }: FirstReadingOptions,
): Promise<BlockTree> {
  const undo = new SequentialReader()
  /** Files that were read and not yet scanned. */
  let waiting: number[] = []
  let read = 0
  const lastNumber = lastToScan(blocks, leftBytes)
  let scanning: Promise<void> | undefined
  let failure: { readonly cause: unknown } | undefined

  const scanConnected = async (tree: BlockTree): Promise<void> => {
    const unconnected = tree.filesWithUnconnected()
    const connected = new Set(waiting.filter((fileNumber) => !unconnected.has(fileNumber)))
    if (connected.size === 0) return
    waiting = waiting.filter((fileNumber) => unconnected.has(fileNumber))
    const stored = tree.bestChain()
    const readShare = read / blocks.fileNumbers.length
    const totalBlocks = Math.round(tipHeight ?? stored.chain.tipHeight / readShare)
    // What lacks its undo record here stays without a segment.
    await scanUnits(stored.chain, planFileUnits(blocks, network, stored, connected), { totalBlocks })
  }
  const onFileRead = async (tree: BlockTree, fileNumber: number): Promise<void> => {
    if (fileNumber > lastNumber) return
    const undoPath = undoFile(blocks.folder, fileNumber)
    // That one is missing is for the scan to tell.
    if (existsSync(undoPath)) await undo.read(undoPath)
    waiting.push(fileNumber)
    read++
    if (waiting.length >= mostAhead) await scanning
    if (failure) throw failure.cause
    if (scanning || read % filesPerLook > 0) return
    scanning = scanConnected(tree).then(
      () => {
        scanning = undefined
      },
      (cause: unknown) => {
        failure = { cause }
      },
    )
  }
  try {
    const tree = await readBlockTree(blocks, network, cacheFolder, onFileRead)
    await scanning
    if (failure) throw failure.cause
    return tree
  } finally {
    await scanning
  }
}

/** The number of the newest file behind which there are so many bytes of block files, −1 where there is none. */
function lastToScan({ folder, fileNumbers }: BlockFolder, leftBytes: number): number {
  let behind = 0
  const last = fileNumbers.findLast((fileNumber) => {
    if (behind >= leftBytes) return true
    behind += statSync(blockFile(folder, fileNumber), { throwIfNoEntry: false })?.size ?? 0
    return false
  })
  return last ?? -1
}
