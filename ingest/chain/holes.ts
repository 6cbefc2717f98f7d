import { existsSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { headerBytes } from './block.ts'
import { type BlockFolder, blockFile, undoFile } from './block-folder.ts'
import type { BlockTree, StoredBlock } from './block-tree.ts'
import { displayHash, tryCompactSize } from './bytes.ts'
import { readWholeFile } from './node-file.ts'
import { pairUndoRecords, readUndoFile } from './undo-pairing.ts'

/**
 * Nodes download this many blocks ahead of the first missing one (Bitcoin Core,
 * BLOCK_DOWNLOAD_WINDOW), so a few orphans are no sign of damage.
 */
export const downloadWindow = 1024

/**
 * Fails if a block is missing that the node must have had: there are too many orphans, or an
 * orphan has an undo record, so its parent was connected.
 */
export function refuseHoles(blocks: BlockFolder, magic: number, tree: BlockTree): void {
  const { orphans, unconnected } = tree
  const orphan = unconnected > downloadWindow ? orphans[0] : findConnected(blocks, magic, orphans)
  if (orphan) throw missingParent(blocks, orphan)
}

const holeCure = 'start the node, so that it can say which chain is complete, or restart it with -reindex'
const snapshotCure =
  'the node began with a snapshot, and blocks before it may still be missing: make its RPC reachable, which says how far ' +
  'it has validated them, or wait until "bitcoin-cli getchainstates" lists one chainstate only'

/** Bitcoin Core keeps this folder until it has validated the history and restarted. */
const hasSnapshot = (blocksFolder: string): boolean =>
  existsSync(path.join(path.dirname(blocksFolder), 'chainstate_snapshot'))

export function missingParent(blocks: BlockFolder, { hash, previousHash, copies: [first] }: StoredBlock) {
  return new CoinstrataError(
    'chain_incomplete',
    `a block is missing or damaged: ${displayHash(previousHash)}, the parent of ${displayHash(hash)}, which ` +
      `is in ${blockFile(blocks.folder, first.fileNumber)} at offset ${first.offset}`,
    { cure: hasSnapshot(blocks.folder) ? snapshotCure : holeCure },
  )
}

function findConnected(blocks: BlockFolder, magic: number, orphans: readonly StoredBlock[]): StoredBlock | undefined {
  const copies = orphans.flatMap((orphan) => orphan.copies.map((location) => ({ orphan, location })))
  for (const [fileNumber, inFile] of Map.groupBy(copies, ({ location }) => location.fileNumber)) {
    const { undo, records } = readUndoFile(undoFile(blocks.folder, fileNumber), blocks.key, magic)
    const content = readWholeFile(blockFile(blocks.folder, fileNumber), blocks.key)
    const pairing = inFile.map(({ orphan: { previousHash }, location: { offset, size } }) => {
      const end = Math.min(offset + size, content.length)
      // No undo record fits a count of 0.
      return { previousHash, transactionCount: tryCompactSize(content, offset + headerBytes, end) ?? 0 }
    })
    const connected = pairUndoRecords(pairing, undo, records).claimed.findIndex((record) => record >= 0)
    if (connected >= 0) return inFile[connected]!.orphan
  }
  return undefined
}
