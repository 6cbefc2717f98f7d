import os from 'node:os'
import path from 'node:path'
import { Piscina } from 'piscina'
import { CoinstrataError } from '#base/errors.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { displayHash, internalHash } from '#ingest/chain/bytes.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import { buildHeaderChain, type HeaderChain, hashAt } from '#ingest/chain/header-chain.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { type ChainTip, readHeaders, readNodeState } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { planRpcUnits } from '#ingest/chain/rpc-unit.ts'
import { blockAmounts } from '#ingest/chain/verify-unit.ts'
import type { ProvedSegments } from '#state/proved-segments.ts'
import type { Progress } from '../progress.ts'
import { lastHeight, type ScanUnit, unitHashes } from '../scan/scan-unit.ts'
import { segmentKey } from '../scan/segments.ts'
import { toError } from '../scan/worker-failure.ts'
import type { VerifyOutcome, VerifyTask } from './verify-worker.ts'

export interface VerifiedChain {
  readonly blocks: number
  readonly bytes: number
  readonly seconds: number
  /** How many blocks could not be read again, since the node has pruned them. */
  readonly pruned: number
  /** Blocks that are damaged in their files, of which the node handed out intact copies: sentences for people. */
  readonly damaged: readonly string[]
}

/** What is published of each block, by height. */
export interface PublishedBlocks {
  /** In display order. */
  readonly hashes: readonly string[]
  /** Of each block the numbers of `blockAmounts`, one block after the other. */
  readonly amounts: Float64Array
}

export interface VerifyOptions {
  readonly source: ChainSource
  readonly dataDir: string
  readonly network: Network
  readonly tip: ChainTip
  readonly published: PublishedBlocks
  readonly registry: ProvedSegments
  /** Leave out what is proved already. */
  readonly unprovedOnly: boolean
  readonly progress: Progress
}

/**
 * Reads every block of the chain that ends in `tip` again and verifies it: header hash and parent, merkle root,
 * witness commitment. Each must be the block that was published, and hold the amounts that were. What was not proved
 * before comes first, the newest blocks before the others, and each segment is remembered as soon as it is done, so that
 * a run goes on where the last one was stopped. A damaged block does not end the run. Throws `block_corrupt` for the
 * first that is not intact, `audit_failed` for one that was published otherwise, `chain_incomplete`, and what reading the
 * source throws.
 */
export async function verifyChain(options: VerifyOptions): Promise<VerifiedChain> {
  const { source, dataDir, network, tip, published, registry, progress } = options
  const begin = performance.now()
  const { chain, units } = await planUnits(source, dataDir, network, tip)
  for (let height = 0; height <= tip.height; height++) {
    const hash = displayHash(hashAt(chain, height))
    const known = published.hashes[height]
    if (hash === known) continue
    const message = `block ${height} is ${hash} in the chain up to ${tip.hash}, and ${known} in table blocks`
    throw new CoinstrataError('audit_failed', message, { cure: 'run "coinstrata update"' })
  }
  const { proved } = registry
  // What the node has pruned cannot be read again.
  const readable = units.filter(({ prunedReason }) => prunedReason === undefined)
  const segments = readable.map((unit) => ({ unit, key: segmentKey(unitHashes(unit, chain)) }))
  const isNew = ({ key }: Segment): boolean => !proved.has(key)
  const newest = segments.toSorted((a, b) => lastHeight(b.unit) - lastHeight(a.unit))
  const open = [...newest.filter(isNew), ...(options.unprovedOnly ? [] : newest.filter((each) => !isNew(each)))]
  const totalBlocks = open.reduce((sum, { unit }) => sum + unitHashes(unit, chain).length / 32, 0)
  const total = { blocks: 0, bytes: 0, damaged: [] as string[] }
  await verifySegments(open, source.endpoint, ({ unit, key }, { blocks, bytes, amounts, damaged }) => {
    const error = compareAmounts(unit, amounts, published.amounts)
    registry.noteVerified(key, error === undefined)
    total.blocks += blocks
    total.bytes += bytes
    total.damaged.push(...damaged)
    progress.scanned(total.blocks, totalBlocks, total.bytes)
    return error
  })
  const pruned = chain.tipHeight + 1 - readable.reduce((sum, unit) => sum + unitHashes(unit, chain).length / 32, 0)
  return { ...total, pruned, seconds: (performance.now() - begin) / 1000 }
}

interface Segment {
  readonly unit: ScanUnit
  readonly key: string
}

/** The chain up to `tip`, each header proved by the hash in the one after it, and the units in which to read it. */
async function planUnits(
  source: ChainSource,
  dataDir: string,
  network: Network,
  tip: ChainTip,
): Promise<{ chain: HeaderChain; units: readonly ScanUnit[] }> {
  if (source.kind === 'rpc') {
    const client = new RpcClient(source.endpoint)
    const { firstStored } = await readNodeState(client, network)
    const { headers, hashes } = await readHeaders(client, tip, 0)
    const chain = buildHeaderChain(headers, hashes)
    return { chain, units: planRpcUnits(chain, source.endpoint, firstStored) }
  }
  const blocks = openBlockFolder(source.blocksFolder)
  const tree = await readBlockTree(blocks, network, path.join(dataDir, 'raw', 'headers'))
  const stored = tree.chainTo(internalHash(tip.hash))
  if (stored) return { chain: stored.chain, units: planFileUnits(blocks, network, stored) }
  const message = `the files in ${source.blocksFolder} have no complete chain to block ${tip.height} (${tip.hash})`
  throw new CoinstrataError('chain_incomplete', message, {
    cure: 'make the node check its files: restart it with -reindex',
  })
}

/** A file can have been damaged when it was read, and intact again since. */
function compareAmounts(unit: ScanUnit, found: Float64Array, published: Float64Array): CoinstrataError | undefined {
  const width = blockAmounts.length
  const at = found.findIndex((amount, i) => {
    const height = heightIn(unit, Math.floor(i / width))
    return amount !== published[height * width + (i % width)]
  })
  if (at < 0) return undefined
  const height = heightIn(unit, Math.floor(at / width))
  const known = published[height * width + (at % width)]
  const message =
    `block ${height} has ${blockAmounts[at % width]} ${found[at]}, and ${known} was published: its file must have been ` +
    'damaged when it was read'
  return new CoinstrataError('audit_failed', message, {
    cure: 'run "coinstrata update --prove", which reads every block that is not proved again',
  })
}

const heightIn = (unit: ScanUnit, i: number): number =>
  unit.kind === 'files' ? unit.heights[i]! : unit.firstHeight + i

/** Verifies segments on all cores, and throws in the end what `onVerified` or a failed one told of the lowest heights. */
async function verifySegments(
  segments: readonly Segment[],
  referee: RpcEndpoint | undefined,
  onVerified: (segment: Segment, outcome: VerifyOutcome & { kind: 'verified' }) => CoinstrataError | undefined,
): Promise<void> {
  if (segments.length === 0) return
  const threads = Math.min(os.availableParallelism(), segments.length)
  const pool = new Piscina<VerifyTask, VerifyOutcome>({
    filename: new URL('./verify-worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
  })
  const errors: Array<{ readonly height: number; readonly error: CoinstrataError }> = []
  const open = segments.values()
  const work = async (): Promise<void> => {
    for (const segment of open) {
      const outcome = await pool.run({ unit: segment.unit, referee })
      const error = outcome.kind === 'failed' ? toError(outcome) : onVerified(segment, outcome)
      if (error) errors.push({ height: heightIn(segment.unit, 0), error })
    }
  }
  try {
    await Promise.all(Array.from({ length: threads }, work))
  } finally {
    await pool.destroy()
  }
  const [first, ...others] = errors.toSorted((a, b) => a.height - b.height)
  if (!first) return
  const { code, message, cure } = first.error
  const more = others.length === 0 ? '' : `; beside it: ${others.map(({ error }) => error.message).join('; ')}`
  throw new CoinstrataError(code, `${message}${more}`, { cure })
}
