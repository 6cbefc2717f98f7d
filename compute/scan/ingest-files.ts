import path from 'node:path'
import { type BlockFolder, blockFile, openBlockFolder, undoFile } from '#ingest/chain/block-folder.ts'
import { type BlockTree, locationAt, type StoredChain } from '#ingest/chain/block-tree.ts'
import { planFileUnits } from '#ingest/chain/file-units.ts'
import { type HeaderChain, hashAt, tipHash } from '#ingest/chain/header-chain.ts'
import { downloadWindow, missingParent, refuseHoles } from '#ingest/chain/holes.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { CoinstrataError } from '#root/errors.ts'
import { readAndScan } from './first-reading.ts'
import type { NodePin } from './node-pin.ts'
import type { ScannedUnits, ScanUnits } from './scan-units.ts'
import { readScannedChain } from './scanned-chain.ts'

/**
 * Scans the chain that stands in the block files: the one that the node pins, or else the chain with the most work
 * whose blocks all have proved undo records. Undo records are proved by the scan, so a chain whose newest blocks turn
 * out to have none is cut and scanned again, which reads only the units that changed.
 */
export async function ingestFiles(
  blocksFolder: string,
  dataDir: string,
  network: Network,
  pin: NodePin | undefined,
  scanUnits: ScanUnits,
  proveBytes: number,
  notes: string[],
): Promise<{ chain: HeaderChain; scan: ScannedUnits }> {
  const blocks = openBlockFolder(blocksFolder)
  const cacheFolder = path.join(dataDir, 'raw', 'headers')
  // The newest files are proved, so they are left to the scan that knows all of them; unless all are proved anyway.
  const leftBytes = proveBytes < Number.POSITIVE_INFINITY ? proveBytes : 0
  const tree = await readAndScan(blocks, network, cacheFolder, scanUnits, { leftBytes, tipHeight: pin?.tip.height })
  if (!pin) refuseHoles(blocks, network.magic, tree)
  let stored = pin ? pinnedChain(blocks, tree, pin) : tree.bestChain()
  let leftOut = 0
  for (;;) {
    if (!pin) refuseShrinking(dataDir, stored.chain)
    const scan = await scanUnits(stored.chain, planFileUnits(blocks, network, stored))
    if (scan.unproved.length === 0) {
      if (leftOut > 0) notes.push(`${leftOut} blocks after ${stored.chain.tipHeight} are stored but not connected yet.`)
      if (tree.unconnected > 0) notes.push(`${tree.unconnected} stored blocks wait for the blocks before them.`)
      if (tree.unproven > 0) notes.push(`${tree.unproven} records with a damaged block header were passed over.`)
      if (scan.unclaimedUndo > 0) {
        const reason = 'stale blocks, leftovers of a -reindex, or blocks that are missing from the files'
        notes.push(`${scan.unclaimedUndo} undo records belong to blocks outside the chain: ${reason}.`)
      }
      return { chain: stored.chain, scan }
    }
    for (const height of scan.unproved) tree.markUnproved(locationAt(stored.locations, height))
    const otherCopies = tree.chainTo(hashAt(stored.chain, stored.chain.tipHeight))
    if (!otherCopies) {
      const missing = stored.chain.tipHeight - scan.unproved[0]! + 1
      // A block that was connected has its undo record, and so have all before it: a hole is damage, an end is not, unless
      // it leaves nothing.
      const hole = scan.unproved.length < missing || missing > downloadWindow || scan.unproved[0] === 1
      if (pin || hole) throw undoMissing(blocks, stored, scan.unproved[0]!)
      leftOut += missing
    }
    stored = otherCopies ?? tree.bestChain()
  }
}

function pinnedChain(blocks: BlockFolder, tree: BlockTree, { tip }: NodePin): StoredChain {
  const hash = Buffer.from(tip.hash, 'hex').reverse()
  const stored = tree.chainTo(hash)
  if (stored) return stored
  const orphan = tree.orphanBelow(hash)
  if (orphan) throw missingParent(blocks, orphan)
  const best = tree.bestChain().chain
  throw new CoinstrataError(
    'chain_incomplete',
    `the node is at block ${tip.height} (${tip.hash}), which is not among the files in ${blocks.folder}: ` +
      `their best block is ${best.tipHeight} (${tipHash(best)})`,
    { cure: 'check that the data directory and the RPC are those of the same node' },
  )
}

/** Without a node to confirm it, less work than before means damaged or missing files. */
function refuseShrinking(dataDir: string, chain: HeaderChain): void {
  const before = readScannedChain(dataDir)
  if (!before || chain.work >= BigInt(`0x${before.work}`)) return
  throw new CoinstrataError(
    'chain_shrunk',
    `the files now hold a chain up to block ${chain.tipHeight} with less work than the one to block ` +
      `${before.tip.height} that was scanned before`,
    {
      cure: 'start the node, so that it can confirm its chain (RPC by cookie or --rpc-url), or restart it with -reindex',
    },
  )
}

function undoMissing({ folder }: BlockFolder, { locations }: StoredChain, height: number): CoinstrataError {
  const { fileNumber, offset } = locationAt(locations, height)
  return new CoinstrataError(
    'undo_missing',
    `${undoFile(folder, fileNumber)} has no undo record that fits block ${height}, which stands in ` +
      `${blockFile(folder, fileNumber)} at offset ${offset}: one of the two is missing or damaged`,
    { cure: 'restart the node with -reindex, or read from another node over RPC (--source rpc)' },
  )
}
