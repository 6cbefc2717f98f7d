import { existsSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { type BlockFolder, blockFile, openBlockFolder, undoFile } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { type BlockTree, locationAt, type StoredChain } from '#ingest/chain/block-tree.ts'
import { internalHash } from '#ingest/chain/bytes.ts'
import { planFileUnits, planStoredUnits } from '#ingest/chain/file-unit.ts'
import { type HeaderChain, hashAt, tipHash } from '#ingest/chain/header-chain.ts'
import { downloadWindow, missingParent, refuseHoles } from '#ingest/chain/holes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { readableGeneration } from '#sql/generation.ts'
import { readAndScan } from './initial-scan.ts'
import type { NodePin } from './node-pin.ts'
import { readScannedChain } from './scanned-chain.ts'
import { otherSegments, readStoredHeights } from './stored-units.ts'
import type { ScannedUnits, ScanUnits } from './unit-scanner.ts'

/**
 * Scans the chain in the block files: the one pinned by the node, else the one with the most work
 * whose blocks all have proved undo records. The scan proves undo records: a chain whose newest
 * blocks have none is cut and scanned again, which reads only changed units.
 */
export async function ingestFiles(
  blocksFolder: string,
  dataDir: string,
  network: Network,
  pin: NodePin | undefined,
  scanUnits: ScanUnits,
  proveBytes: number,
  notes: string[],
  allowShorter = false,
): Promise<{ chain: HeaderChain; scan: ScannedUnits }> {
  const blocks = openBlockFolder(blocksFolder)
  const cacheFolder = path.join(dataDir, 'raw', 'headers')
  // Later scans need no file as a whole, even if its blocks were scanned over RPC.
  const isFirst = readScannedChain(dataDir) === undefined
  // The initial scan omits the newest files, which must be proved, unless all files are proved.
  const skipBytes = proveBytes < Number.POSITIVE_INFINITY ? proveBytes : 0
  const tree = isFirst
    ? await readAndScan(blocks, network, cacheFolder, scanUnits, skipBytes, pin?.tip.height)
    : await readBlockTree(blocks, network, cacheFolder)
  if (!pin) refuseHoles(blocks, network.magic, tree)
  let stored = pin ? pinnedChain(blocks, tree, pin) : tree.bestChain()
  let leftOut = 0
  let other = otherSegments(dataDir, 'files')
  for (;;) {
    if (!pin && !allowShorter) refuseShrinking(dataDir, stored.chain)
    const given = await readStoredHeights(dataDir, stored.chain, other)
    const units = planFileUnits(blocks, network, stored, undefined, given)
    const scan = await scanUnits(stored.chain, [...planStoredUnits(blocks, stored, given), ...units])
    const { unreadable } = scan
    if (unreadable) {
      other = other.filter((key) => !unreadable.has(key))
      continue
    }
    if (scan.unproved.length === 0) {
      if (!pin && !allowShorter) refuseCutOff(blocks, scan.unclaimedAtEnd)
      if (leftOut > 0) notes.push(`${leftOut} blocks after ${stored.chain.tipHeight} are stored but not connected yet.`)
      if (tree.unconnected > 0) notes.push(`${tree.unconnected} stored blocks wait for the blocks before them.`)
      if (tree.unproven > 0) notes.push(`${tree.unproven} records with a damaged block header were skipped.`)
      // The simulated chain has stale blocks on purpose.
      if (scan.unclaimedUndo > 0 && network.name !== 'simulated') {
        const owners = 'stale blocks, copies from before a -reindex, or blocks that the files no longer hold'
        notes.push(
          `${scan.unclaimedUndo} undo records belong to blocks outside the chain and are not counted: ${owners}.`,
        )
      }
      return { chain: stored.chain, scan }
    }
    for (const height of scan.unproved) tree.markWithoutUndo(locationAt(stored.locations, height))
    const otherCopies = tree.chainTo(hashAt(stored.chain, stored.chain.tipHeight))
    if (!otherCopies) {
      const missing = stored.chain.tipHeight - scan.unproved[0]! + 1
      // The node wrote undo records in chain order: a gap in them is damage; a missing end is not,
      // unless nothing is left.
      const maxMissing = allowShorter ? downloadWindow : maxUnconnected
      const isDamage = scan.unproved.length < missing || missing > maxMissing || scan.unproved[0] === 1
      if (pin || isDamage) throw undoMissing(blocks, stored, scan.unproved)
      leftOut += missing
    }
    stored = otherCopies ?? tree.bestChain()
  }
}

function pinnedChain(blocks: BlockFolder, tree: BlockTree, { tip }: NodePin): StoredChain {
  const hash = internalHash(tip.hash)
  const stored = tree.chainTo(hash)
  if (stored) return stored
  const orphan = tree.orphanAncestor(hash)
  if (orphan) throw missingParent(blocks, orphan)
  const best = tree.bestChain().chain
  throw new CoinstrataError(
    'chain_incomplete',
    `the node is at block ${tip.height} (${tip.hash}), which is not among the files in ${blocks.folder}: ` +
      `their best block is ${best.tipHeight} (${tipHash(best)})`,
    { cure: 'check that the data directory and the RPC belong to the same node' },
  )
}

/**
 * Two days of blocks: maximum unconnected blocks that a stopped node leaves, and stale ones in its
 * last file.
 */
const maxUnconnected = 288

/** Fails if the newest undo records belong to blocks missing from the block files. */
function refuseCutOff({ folder, fileNumbers }: BlockFolder, unclaimed: number): void {
  const last = fileNumbers.at(-1)!
  const undoAlone = existsSync(undoFile(folder, last + 1))
  if (unclaimed <= maxUnconnected && !undoAlone) return
  const what = undoAlone
    ? `${undoFile(folder, last + 1)} exists without its block file`
    : `${undoFile(folder, last)} has ${unclaimed} undo records whose blocks are missing from ${blockFile(folder, last)}`
  throw new CoinstrataError('chain_shrunk', `the block files are not complete: ${what}`, { cure: shorterCure })
}

const shorterCure =
  'start the node, so that it can confirm its chain (RPC by cookie or --rpc-url), or restart it with -reindex; ' +
  '"--allow-shorter" accepts the files as they are'

/**
 * Fails if the chain has less work than before: without a node, files must be damaged or missing.
 */
function refuseShrinking(dataDir: string, chain: HeaderChain): void {
  const scanned = readScannedChain(dataDir)
  const published = readableGeneration(dataDir)?.generation.tip
  const known = [scanned && { height: scanned.tip.height, work: scanned.work }, published]
  const before = known.find((tip) => tip && chain.work < BigInt(`0x${tip.work}`))
  if (!before) return
  throw new CoinstrataError(
    'chain_shrunk',
    `the files now hold a chain up to block ${chain.tipHeight} with less work than the one to block ` +
      `${before.height} that was scanned before`,
    { cure: shorterCure },
  )
}

function undoMissing(
  { folder }: BlockFolder,
  { chain, locations }: StoredChain,
  unproved: readonly number[],
): CoinstrataError {
  const height = unproved[0]!
  const end = unproved.findIndex((missing, i) => missing !== height + i)
  const count = end < 0 ? unproved.length : end
  // More blocks than a file holds, none of them the newest: the node never wrote their records.
  if (count > maxUnconnected && height + count <= chain.tipHeight) {
    const message = `${folder} has no undo records for blocks ${height} to ${height + count - 1}: the node has not validated these blocks one by one, as after a snapshot or a fast synchronisation`
    return new CoinstrataError('undo_missing', message, {
      cure: 'wait until the node has validated them ("bitcoin-cli getchainstates" then lists one chainstate only), restart it with -reindex, or read another node over RPC (--source rpc)',
    })
  }
  const { fileNumber, offset } = locationAt(locations, height)
  return new CoinstrataError(
    'undo_missing',
    `${undoFile(folder, fileNumber)} has no undo record that fits block ${height}, which is in ` +
      `${blockFile(folder, fileNumber)} at offset ${offset}: one of the two is missing or damaged`,
    { cure: 'restart the node with -reindex, or read from another node over RPC (--source rpc)' },
  )
}
