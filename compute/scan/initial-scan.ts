import { existsSync, statSync } from 'node:fs'
import { type BlockFolder, blockFile, undoFile } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import type { BlockTree } from '#ingest/chain/block-tree.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { SequentialReader } from '#ingest/chain/sequential-reader.ts'
import type { ScanUnits } from './unit-scanner.ts'

/** Few enough (2.5 GB with undo files) to stay in the page cache until scanned. */
const maxFilesAhead = 8

/** Finding the best chain takes 0.1 s, so it is done once per this many files. */
const filesPerScan = 4

/**
 * Reads the block tree of a folder while scanning new files from the page cache, so that the disk
 * is read once and in order, each block file with its undo file. A file is scanned along the best
 * chain known once all its blocks are connected to genesis. If a later file reveals a better chain,
 * the segment no longer matches the file, and the next scan reads it again.
 * @param skipBytes of the newest block files, to omit
 * @param tipHeight of the whole chain, if known
 */
export async function readAndScan(
  blocks: BlockFolder,
  network: Network,
  cacheFolder: string,
  scanUnits: ScanUnits,
  skipBytes: number,
  tipHeight?: number,
): Promise<BlockTree> {
  const undo = new SequentialReader()
  let unscanned: number[] = []
  let read = 0
  const lastNumber = lastFileToScan(blocks, skipBytes)
  let scanning: Promise<void> | undefined
  let failure: { readonly cause: unknown } | undefined

  const scanConnected = async (tree: BlockTree): Promise<void> => {
    const unconnected = tree.filesWithUnconnected()
    const connected = new Set(unscanned.filter((fileNumber) => !unconnected.has(fileNumber)))
    if (connected.size === 0) return
    unscanned = unscanned.filter((fileNumber) => unconnected.has(fileNumber))
    const stored = tree.bestChain()
    const readShare = read / blocks.fileNumbers.length
    const totalBlocks = Math.round(tipHeight ?? stored.chain.tipHeight / readShare)
    // Units that lack an undo record get no segment here.
    await scanUnits(stored.chain, planFileUnits(blocks, network, stored, connected), { totalBlocks })
  }
  const onFileRead = async (tree: BlockTree, fileNumber: number): Promise<void> => {
    if (fileNumber > lastNumber) return
    const undoPath = undoFile(blocks.folder, fileNumber)
    // The scan reports missing undo files.
    if (existsSync(undoPath)) await undo.read(undoPath)
    unscanned.push(fileNumber)
    read++
    if (unscanned.length >= maxFilesAhead) await scanning
    if (failure) throw failure.cause
    if (scanning || read % filesPerScan > 0) return
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

/** Returns −1 to omit all files. */
function lastFileToScan({ folder, fileNumbers }: BlockFolder, skipBytes: number): number {
  let skipped = 0
  const last = fileNumbers.findLast((fileNumber) => {
    if (skipped >= skipBytes) return true
    skipped += statSync(blockFile(folder, fileNumber), { throwIfNoEntry: false })?.size ?? 0
    return false
  })
  return last ?? -1
}
