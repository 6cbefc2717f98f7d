import { CoinstrataError } from '#root/errors.ts'
import { headerBytes } from './block.ts'
import { type BlockIndex, blockFile, undoFile } from './block-index.ts'
import type { BlockLocation, BlockTree, StoredBlock } from './block-tree.ts'
import { ByteReader, displayHash } from './bytes.ts'
import { previousHash } from './header-chain.ts'
import { walkRecords } from './records.ts'
import { pairUndoRecords, undoChecksumBytes } from './undo-pairing.ts'
import { readWholeFile } from './whole-file.ts'

/**
 * Nodes download up to this many blocks ahead of the first missing one (Bitcoin Core, BLOCK_DOWNLOAD_WINDOW), so some
 * blocks without a known parent are no sign of damage.
 */
export const downloadWindow = 1024

/**
 * Throws `chain_incomplete` where a block is missing that the node must have had: too many blocks wait for their
 * parent, or one of those that do was connected to it, as its undo record tells.
 */
export function refuseHoles(index: BlockIndex, magic: number, tree: BlockTree): void {
  const { orphans, unconnected } = tree
  const orphan = unconnected > downloadWindow ? orphans[0] : findConnected(index, magic, orphans)
  if (orphan) throw missingParent(index, orphan)
}

/** The error for a block without parent. */
export function missingParent(index: BlockIndex, { header, hash, copies: [{ file, record }] }: StoredBlock) {
  const { fileNumber, offsets } = index.files[file]!
  return new CoinstrataError(
    'chain_incomplete',
    `a block is missing or damaged: ${displayHash(previousHash(header))}, the parent of ${displayHash(hash)}, which ` +
      `stands in ${blockFile(index.folder, fileNumber)} at offset ${offsets[record]}`,
    { cure: 'start the node, so that it can tell which chain is whole, or restart it with -reindex' },
  )
}

function findConnected(index: BlockIndex, magic: number, orphans: readonly StoredBlock[]): StoredBlock | undefined {
  const copies = orphans.flatMap((orphan) => orphan.copies.map((location) => ({ orphan, location })))
  for (const [file, inFile] of Map.groupBy(copies, ({ location }) => location.file)) {
    const { fileNumber } = index.files[file]!
    const undo = readWholeFile(undoFile(index.folder, fileNumber), index.key)
    const readUndo = (at: number, length: number): Uint8Array => undo.subarray(at, at + length)
    const records = [...walkRecords(readUndo, undo.length, magic, undoChecksumBytes)]
    const blocks = readWholeFile(blockFile(index.folder, fileNumber), index.key)
    const pairing = inFile.map(({ orphan, location }) => ({
      previousHash: previousHash(orphan.header),
      transactionCount: transactionCount(index, location, blocks),
    }))
    const connected = pairUndoRecords(pairing, undo, records).claimed.findIndex((record) => record >= 0)
    if (connected >= 0) return inFile[connected]!.orphan
  }
  return undefined
}

/** 0, which no undo record has, where the block is too short to tell. */
function transactionCount(index: BlockIndex, { file, record }: BlockLocation, blocks: Uint8Array): number {
  const { offsets, sizes } = index.files[file]!
  const start = offsets[record]!
  const reader = new ByteReader(blocks, start + headerBytes, Math.min(start + sizes[record]!, blocks.length))
  try {
    return reader.compactSize()
  } catch (error) {
    if (error instanceof RangeError) return 0
    throw error
  }
}
