import os from 'node:os'
import path from 'node:path'
import { Piscina } from 'piscina'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { planFileUnits } from '#ingest/chain/file-units.ts'
import { buildHeaderChain, type HeaderChain, hashAt } from '#ingest/chain/header-chain.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { type ChainTip, readHeaders } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { planRpcUnits } from '#ingest/chain/rpc-unit.ts'
import { blockAmounts } from '#ingest/chain/verify-unit.ts'
import { CoinstrataError } from '#root/errors.ts'
import { segmentsFolder } from '../data-folder.ts'
import type { Progress } from '../progress.ts'
import type { ScanUnit } from '../scan/scan-units.ts'
import { errorOf, type WorkerFailure } from '../scan/worker-failure.ts'
import type { VerifyOutcome } from './verify-worker.ts'

export interface VerifiedChain {
  readonly blocks: number
  readonly bytes: number
  readonly seconds: number
}

/** What is published of each block, by height. */
export interface PublishedBlocks {
  /** In display order. */
  readonly hashes: readonly string[]
  /** Of each block the numbers of `blockAmounts`, one block after the other. */
  readonly amounts: Float64Array
}

/**
 * Reads every block of the chain that ends in `tip` again and verifies it: header hash and parent, merkle root,
 * witness commitment. Each must be the block that was published, and hold the amounts that were. Throws
 * `block_corrupt` for the first that is not intact, `audit_failed` for one that was published otherwise,
 * `chain_incomplete`, and what reading the source throws.
 */
export async function verifyChain(
  source: ChainSource,
  dataDir: string,
  network: Network,
  tip: ChainTip,
  published: PublishedBlocks,
  progress: Progress,
): Promise<VerifiedChain> {
  const begin = performance.now()
  const { chain, units } = await planUnits(source, dataDir, network, tip)
  for (let height = 0; height <= tip.height; height++) {
    const hash = displayHash(hashAt(chain, height))
    const known = published.hashes[height]
    if (hash === known) continue
    const message = `block ${height} is ${hash} in the chain up to ${tip.hash}, and ${known} in table blocks`
    throw new CoinstrataError('audit_failed', message, { cure: 'run "coinstrata update"' })
  }
  const total = { blocks: 0, bytes: 0 }
  await verifyUnits(units, dataDir, (unit, { blocks, bytes, amounts }) => {
    compareAmounts(unit, amounts, published.amounts, dataDir)
    total.blocks += blocks
    total.bytes += bytes
    progress.scanned(total.blocks, tip.height + 1, total.bytes)
  })
  return { ...total, seconds: (performance.now() - begin) / 1000 }
}

/** The chain up to `tip`, each header proved by the hash in the one after it, and the units in which to read it. */
async function planUnits(
  source: ChainSource,
  dataDir: string,
  network: Network,
  tip: ChainTip,
): Promise<{ chain: HeaderChain; units: readonly ScanUnit[] }> {
  if (source.kind === 'rpc') {
    const { headers, hashes } = await readHeaders(new RpcClient(source.endpoint), tip, 0)
    const chain = buildHeaderChain(headers, hashes)
    return { chain, units: planRpcUnits(chain, source.endpoint) }
  }
  const blocks = openBlockFolder(source.blocksFolder)
  const tree = readBlockTree(blocks, network, path.join(dataDir, 'raw', 'headers'))
  const stored = tree.chainTo(Buffer.from(tip.hash, 'hex').reverse())
  if (stored) return { chain: stored.chain, units: planFileUnits(blocks, network, stored) }
  const message = `the files in ${source.blocksFolder} hold no unbroken chain to block ${tip.height} (${tip.hash})`
  throw new CoinstrataError('chain_incomplete', message, {
    cure: 'let the node check its files: restart it with -reindex',
  })
}

/** A file can have been damaged when it was read, and intact again since. */
function compareAmounts(unit: ScanUnit, found: Float64Array, published: Float64Array, dataDir: string): void {
  const width = blockAmounts.length
  found.forEach((amount, at) => {
    const height = heightIn(unit, Math.floor(at / width))
    const known = published[height * width + (at % width)]
    if (amount === known) return
    const message = `block ${height} has ${blockAmounts[at % width]} ${amount}, and ${known} was published: its file was damaged when it was read`
    throw new CoinstrataError('audit_failed', message, { cure: readAnew(dataDir) })
  })
}

const heightIn = (unit: ScanUnit, i: number): number =>
  unit.kind === 'files' ? unit.heights[i]! : unit.firstHeight + i

const readAnew = (dataDir: string): string =>
  `remove ${segmentsFolder(dataDir)} and run "coinstrata update", which reads every block anew`

/** Verifies units on all cores. After a failure no more are begun, and the first in their order that failed is thrown. */
async function verifyUnits(
  units: readonly ScanUnit[],
  dataDir: string,
  onVerified: (unit: ScanUnit, outcome: VerifyOutcome & { kind: 'verified' }) => void,
): Promise<void> {
  const threads = Math.min(os.availableParallelism(), units.length)
  const pool = new Piscina<ScanUnit, VerifyOutcome>({
    filename: new URL('./verify-worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
  })
  const failures = new Map<number, WorkerFailure>()
  let next = 0
  const work = async (): Promise<void> => {
    while (next < units.length && failures.size === 0) {
      const number = next++
      const outcome = await pool.run(units[number]!)
      if (outcome.kind === 'failed') failures.set(number, outcome)
      else onVerified(units[number]!, outcome)
    }
  }
  try {
    await Promise.all(Array.from({ length: threads }, work))
  } finally {
    await pool.destroy()
  }
  const first = failures.get(Math.min(...failures.keys()))
  if (!first) return
  const { code, message, cure } = errorOf(first)
  // What was scanned of the damaged file is not right either.
  throw new CoinstrataError(code, message, {
    cure: code === 'block_corrupt' ? `${cure}; then ${readAnew(dataDir)}` : cure,
  })
}
