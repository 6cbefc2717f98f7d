import os from 'node:os'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { displayHash, internalHash } from '#ingest/chain/bytes.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import { type HeaderChain, hashAt } from '#ingest/chain/header-chain.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { blockAmounts, type VerifiedUnit } from '#ingest/chain/verify-unit.ts'
import type { ProvedSegments } from '#state/proved-segments.ts'
import type { AddressMode } from '../address-sample.ts'
import type { Progress } from '../progress.ts'
import { planOverRpc } from '../scan/bootstrap-history.ts'
import { lastHeight, type ScanUnit } from '../scan/scan-unit.ts'
import { segmentKey } from '../scan/segments.ts'
import { otherSegments, readStoredHeights } from '../scan/stored-units.ts'
import { withThreads } from '../threads.ts'
import type { VerifyTask } from './verify-worker.ts'

export interface VerifiedChain {
  readonly blocks: number
  readonly bytes: number
  readonly seconds: number
  readonly pruned: number
  /** One sentence per block that is damaged in its file but intact over RPC. */
  readonly damaged: readonly string[]
}

export interface PublishedBlocks {
  /** In display order, by height. */
  readonly hashes: readonly string[]
  /** `blockAmounts` of each block, by height. */
  readonly amounts: Float64Array
}

export interface VerifyOptions {
  readonly source: ChainSource
  readonly dataDir: string
  readonly network: Network
  readonly tip: ChainTip
  readonly published: PublishedBlocks
  readonly registry: ProvedSegments
  readonly unprovedOnly: boolean
  readonly addresses: AddressMode
  readonly progress: Progress
}

/**
 * Verifies every block of the chain up to `tip`: header hash and parent, merkle root, witness
 * commitment, published hash and amounts. Unproved and newest blocks come first. Each finished
 * segment is recorded, so that the next run continues there. Continues after damaged blocks. Throws
 * `block_corrupt` for the lowest damaged block, `audit_failed` for one that differs from the
 * published one.
 */
export async function verifyChain(options: VerifyOptions): Promise<VerifiedChain> {
  const { source, tip, published, registry, addresses, progress } = options
  const begin = performance.now()
  const { chain, units } = await planUnits(options)
  for (let height = 0; height <= tip.height; height++) {
    const hash = displayHash(hashAt(chain, height))
    const known = published.hashes[height]
    if (hash === known) continue
    const message = `block ${height} is ${hash} in the chain up to ${tip.hash}, and ${known} in table blocks`
    throw new CoinstrataError('audit_failed', message, { cure: 'run "coinstrata update"' })
  }
  const { proved } = registry
  const readable = units
    .filter((unit) => unit.kind !== 'stored')
    .filter(({ prunedReason }) => prunedReason === undefined)
  const segments = readable.map((unit) => ({ unit, key: segmentKey(unit.hashes, addresses) }))
  const isNew = ({ key }: Segment): boolean => !proved.has(key)
  const newest = segments.toSorted((a, b) => lastHeight(b.unit) - lastHeight(a.unit))
  const open = [...newest.filter(isNew), ...(options.unprovedOnly ? [] : newest.filter((each) => !isNew(each)))]
  const totalBlocks = open.reduce((sum, { unit }) => sum + unit.heights.length, 0)
  const total = { blocks: 0, bytes: 0, damaged: [] as string[] }
  await verifySegments(open, source.endpoint, ({ unit, key }, { blocks, bytes, amounts, damaged }) => {
    const error = compareAmounts(unit, amounts, published.amounts)
    registry.recordVerified(key, error === undefined)
    total.blocks += blocks
    total.bytes += bytes
    total.damaged.push(...damaged)
    progress.scanned(total.blocks, totalBlocks, total.bytes)
    return error
  })
  const pruned = units.reduce((sum, { heights, prunedReason }) => sum + (prunedReason ? heights.length : 0), 0)
  return { ...total, pruned, seconds: (performance.now() - begin) / 1000 }
}

interface Segment {
  readonly unit: VerifyTask['unit']
  readonly key: string
}

/** Returns the chain up to `tip`, each header proved by its successor's hash, and its units. */
async function planUnits({
  source,
  dataDir,
  network,
  tip,
  unprovedOnly,
}: VerifyOptions): Promise<{ chain: HeaderChain; units: readonly ScanUnit[] }> {
  if (source.kind === 'rpc') {
    const { endpoint } = source
    const client = new RpcClient(endpoint)
    const { firstStored } = await readNodeState(client, network)
    return planOverRpc(dataDir, { client, endpoint, tip, firstStored })
  }
  const blocks = openBlockFolder(source.blocksFolder)
  const tree = await readBlockTree(blocks, network, path.join(dataDir, 'raw', 'headers'))
  const stored = tree.chainTo(internalHash(tip.hash))
  if (stored) {
    // Blocks read over RPC were proved, and are in other units here.
    const given = unprovedOnly ? await readStoredHeights(dataDir, stored.chain, otherSegments(dataDir, 'files')) : []
    return { chain: stored.chain, units: planFileUnits(blocks, network, stored, undefined, given) }
  }
  const message = `the files in ${source.blocksFolder} have no complete chain to block ${tip.height} (${tip.hash})`
  throw new CoinstrataError('chain_incomplete', message, {
    cure: 'make the node check its files: restart it with -reindex',
  })
}

/** Amounts differ if a file was damaged only when it was scanned. */
function compareAmounts(unit: ScanUnit, found: Float64Array, published: Float64Array): CoinstrataError | undefined {
  const width = blockAmounts.length
  const at = found.findIndex((amount, i) => {
    const height = unit.heights[Math.floor(i / width)]!
    return amount !== published[height * width + (i % width)]
  })
  if (at < 0) return undefined
  const height = unit.heights[Math.floor(at / width)]!
  const known = published[height * width + (at % width)]
  const message =
    `block ${height} has ${blockAmounts[at % width]} ${found[at]}, and ${known} was published: its file must have been ` +
    'damaged when it was read'
  return new CoinstrataError('audit_failed', message, {
    cure: 'run "coinstrata update --prove", which reads every block that is not proved again',
  })
}

/**
 * Verifies segments on all cores. Finally throws the error of a segment or of `onVerified` with the
 * lowest height.
 */
async function verifySegments(
  segments: readonly Segment[],
  referee: RpcEndpoint | undefined,
  onVerified: (segment: Segment, verified: VerifiedUnit) => CoinstrataError | undefined,
): Promise<void> {
  const errors: Array<{ readonly height: number; readonly error: CoinstrataError }> = []
  const module = new URL('./verify-worker.ts', import.meta.url)
  await withThreads<VerifyTask, VerifiedUnit, unknown>(module, os.availableParallelism(), (verify) =>
    Promise.all(
      segments.map(async (segment) => {
        const { unit } = segment
        const result = await verify({ unit, referee }).catch((error: unknown) => {
          if (error instanceof CoinstrataError) return error
          throw error
        })
        const error = result instanceof CoinstrataError ? result : onVerified(segment, result)
        if (error) errors.push({ height: unit.heights[0]!, error })
      }),
    ),
  )
  const [first, ...others] = errors.toSorted((a, b) => a.height - b.height)
  if (!first) return
  const { code, message, cure } = first.error
  const more = others.length === 0 ? '' : `; beside it: ${others.map(({ error }) => error.message).join('; ')}`
  throw new CoinstrataError(code, `${message}${more}`, { cure })
}
