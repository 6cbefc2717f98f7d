import { constants, existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { isoDate, msPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { canAccess } from '#base/file-access.ts'
import { type BlockFolder, blockFile, openBlockFolder } from '#ingest/chain/block-folder.ts'
import { describeGone, pruned } from '#ingest/chain/block-index.ts'
import { missingGenesis } from '#ingest/chain/block-tree.ts'
import { uint32At } from '#ingest/chain/bytes.ts'
import { openError } from '#ingest/chain/file-errors.ts'
import { headerTime } from '#ingest/chain/header-chain.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { type Network, networks } from '#ingest/chain/networks.ts'
import { type NodeState, readHeaders, readNodeState } from '#ingest/chain/node.ts'
import { readNodeConfig } from '#ingest/chain/node-config.ts'
import { NodeFile } from '#ingest/chain/node-file.ts'
import { hashSchema, ifOffered, RpcClient } from '#ingest/chain/rpc.ts'
import { describePruned } from '#ingest/chain/rpc-unit.ts'
import { tables } from '#ingest/market/observations.ts'
import { storedSources } from '#ingest/market/store.ts'
import { currentGenerationId } from '#sql/generation.ts'
import { freeBytes } from '#state/operational-state.ts'
import type { AddressMode } from '../address-sample.ts'
import {
  existingPart,
  folderNetwork,
  isUnused,
  refuseOtherNetwork,
  refuseUnwritable,
  segmentsFolder,
} from '../data-folder.ts'
import { readLabels } from '../labels/label-files.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'
import { readScannedChain } from './scanned-chain.ts'

/** An error stops an update; a note is published with its result. */
interface Check {
  readonly of: 'data folder' | 'prices' | 'disk' | 'node' | 'block files' | 'RPC' | 'labels'
  readonly error?: CoinstrataError
  readonly note?: string
  readonly cure?: string
  /** `doctor` reports the note as a problem. */
  readonly isProblem?: boolean
}
type Report = (check: Check) => void

/** Inputs of an update; without a source, a simulated chain. */
interface Inputs {
  readonly source: ChainSource | undefined
  readonly node: ReachedNode | undefined
  /** Size of all blocks. */
  readonly blockBytes: number
  readonly isPruned: boolean
}

export interface ReachedNode {
  readonly client: RpcClient
  readonly state: NodeState
}

/**
 * Checks everything that an update needs: data folder, network, node, free space. Reports only
 * problems and notes. An update stops at the first error, which `report` throws; `doctor` lists
 * all. Changes nothing.
 */
export async function preflight(
  settings: UpdateSettings,
  report: Report,
  onWait?: (reason: string) => void,
): Promise<Inputs> {
  const { dataDir } = settings
  const network = networks[settings.network]
  const owner = await step(report, 'data folder', () => {
    refuseUnwritable(dataDir)
    return { network: folderNetwork(dataDir) }
  })
  const found = await step(report, 'node', () => ({ source: locateNode(settings) }))
  const source = found?.source
  if (owner && found) await step(report, 'data folder', () => refuseMixing(settings, source))
  if (!source) return { source, node: undefined, blockBytes: 0, isPruned: false }
  const { addresses = 'sample' } = settings
  if (addresses === 'all') await step(report, 'prices', () => refuseWithoutPrices(dataDir, network))
  const node = await reachNode(source, network, dataDir, report, onWait)
  let isPruned = (node?.state.firstStored ?? 0) > 0
  let blockBytes = averageBlockBytes * (node?.state.headersHeight ?? 0)
  if (source.kind === 'files') {
    const folder = source.blocksFolder
    const files = await step(report, 'block files', () => checkFiles(openBlockFolder(folder), network, dataDir))
    blockBytes = files?.bytes ?? 0
    isPruned ||= files?.isPruned ?? false
  }
  if (owner) await step(report, 'disk', () => refuseSmallDisk(dataDir, blockBytes, addresses))
  await step(report, 'labels', () => readLabels(dataDir, network.name))
  return { source, node, blockBytes, isPruned }
}

/** Processor time of a scan; see `npm run bench -- scan`. */
export const cpuSecondsPerGigabyte = 2.5

async function step<T>(report: Report, of: Check['of'], work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    report({ of, error })
    return undefined
  }
}

/** Simulated data never mixes with real data, nor replaces a node that is still starting. */
function refuseMixing(settings: UpdateSettings, source: ChainSource | undefined): void {
  const { dataDir, network, defaultDatadir } = settings
  if (source) return void refuseOtherNetwork(dataDir, network)
  const owner = folderNetwork(dataDir)
  const mayBeSimulated = owner === 'simulated' || isUnused(dataDir)
  if (settings.source === 'simulated') {
    if (mayBeSimulated) return
    throw new CoinstrataError(
      'data_folder_mismatch',
      `${dataDir} holds real data, and simulated data never mixes with real data`,
      { cure: 'give the simulated chain its own data folder: set DATA_DIR (or --data-dir) to another folder' },
    )
  }
  const isConfigured = readNodeConfig(defaultDatadir, networks[network]) !== undefined
  if (owner === 'simulated' || (mayBeSimulated && !isConfigured)) return
  if (mayBeSimulated) {
    throw new CoinstrataError('source_not_found', `the node of ${defaultDatadir} has no blocks of ${network} yet`, {
      cure: 'start the node, set BITCOIN_NETWORK to its network, or set BITCOIN_SOURCE=simulated for a simulated chain',
    })
  }
  throw new CoinstrataError('source_not_found', `no node was found, and ${dataDir} holds real data`, {
    cure: 'mount the disk of the node, or name its data directory with --datadir (BITCOIN_DATADIR)',
  })
}

const hasSegments = (dataDir: string): boolean =>
  existsSync(segmentsFolder(dataDir)) && readdirSync(segmentsFolder(dataDir)).length > 0

function checkFiles({ folder, key, fileNumbers }: BlockFolder, network: Network, dataDir: string) {
  const files = fileNumbers.map((number) => blockFile(folder, number))
  for (const file of files) if (existsSync(file) && !canAccess(file, constants.R_OK)) throw openError(file, undefined)
  if (fileNumbers[0]! > 0) {
    if (!hasSegments(dataDir)) throw pruned(0, describeGone(folder, fileNumbers))
  } else {
    const first = new NodeFile()
    first.open(files[0]!, key)
    const isOther = first.size > 4 && uint32At(first.read(0, 4), 0) !== network.magic
    first.close()
    if (isOther) throw missingGenesis(folder, network)
  }
  const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  return { bytes, isPruned: fileNumbers[0]! > 0 }
}

async function reachNode(
  source: ChainSource,
  network: Network,
  dataDir: string,
  report: Report,
  onWait: ((reason: string) => void) | undefined,
): Promise<ReachedNode | undefined> {
  const of = 'RPC'
  const { endpoint } = source
  if (!endpoint) {
    const note =
      'The node was not asked for its totals: it does not run, its RPC is not known, or the settings turn it off.'
    report({ of, note, cure: 'start the node; if it has no cookie, set BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD' })
    return undefined
  }
  try {
    const client = new RpcClient(endpoint, onWait)
    const state = await readNodeState(client, network)
    if (source.kind === 'rpc') await step(report, of, () => refusePruned(client, state, dataDir))
    await noteProgress(source, client, state, network, report)
    return { client, state }
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    report(isSkipped(source, error) ? { of, note: describeSkipped(error), cure: error.cure ?? '' } : { of, error })
    return undefined
  }
}

/** Returns whether the files can be read without the unresponsive node. */
export const isSkipped = (source: ChainSource, error: unknown): error is CoinstrataError =>
  source.kind === 'files' &&
  !source.isEndpointRequired &&
  error instanceof CoinstrataError &&
  error.code === 'rpc_unreachable'

export const describeSkipped = ({ message }: CoinstrataError): string => `The node was not asked: ${message}.`

/**
 * Fails if the node has pruned the first unscanned block. After a reorganisation, the scan
 * decides.
 */
async function refusePruned(client: RpcClient, { firstStored, tip }: NodeState, dataDir: string): Promise<void> {
  if (firstStored === 0) return
  const scanned = readScannedChain(dataDir)?.tip
  let needed = hasSegments(dataDir) ? undefined : 0
  if (scanned && needed === undefined && scanned.height <= tip.height) {
    const hash = await client.call('getblockhash', [scanned.height], hashSchema)
    if (hash === scanned.hash) needed = scanned.height + 1
  }
  if (needed !== undefined && firstStored > needed) throw pruned(needed, describePruned(firstStored))
}

/** Blocks come every ten minutes; a gap of three hours occurs once in millions of years. */
const maxTipAgeMs = 3 * 3_600_000

async function noteProgress(
  source: ChainSource,
  client: RpcClient,
  { tip, headersHeight, initialBlockDownload, isSnapshotUnvalidated }: NodeState,
  network: Network,
  report: Report,
): Promise<void> {
  const of = 'RPC'
  if (isSnapshotUnvalidated) {
    if (source.isComparisonRequired) {
      const message = 'the node still validates the history before its snapshot, so nothing can be compared'
      throw new CoinstrataError('rpc_failed', message, {
        cure: 'wait until it has finished, or leave out --require-node',
      })
    }
    const note = `The node still validates the history before its snapshot, up to block ${tip.height} so far, so its unspent outputs were not compared.`
    report({ of, note, cure: 'update again when "bitcoin-cli getchainstates" lists one chainstate only' })
  }
  const mayBeOld = network.name === 'mainnet' && headersHeight <= tip.height
  if (!initialBlockDownload && !mayBeOld) return
  const { headers } = await readHeaders(client, tip, tip.height)
  const time = 1000 * headerTime(headers[0]!)
  if (initialBlockDownload) {
    const date = isoDate(Math.floor(time / msPerDay))
    const note = `The node is still syncing: its newest block, ${tip.height}, is from ${date}.`
    report({ of, note, cure: 'update again when it has all blocks' })
  }
  const age = Date.now() - time
  if (!mayBeOld || age <= maxTipAgeMs) return
  const peers = await ifOffered(client.call('getconnectioncount', [], z.int()))
  if (peers === undefined || peers === 0) return
  report({
    of,
    note: `The newest block of the node, ${tip.height} (${tip.hash}), is ${Math.floor(age / 3_600_000)} hours old, although ${peers} peers are connected: it may follow another chain than mainnet.`,
    cure: 'compare the hash with that of other nodes at this height, and read debug.log of the node for blocks that it refuses',
    isProblem: true,
  })
}

/**
 * Mainnet has 800 GB in 930,000 blocks; its segments, checkpoints and four generations take about
 * 12 GB (estimated: kinds of coins add half, a sample of addresses 4 GB). All addresses take 10 GB
 * more (`npm run bench -- all-balances`), and in the first run 7 GB for unmerged outputs and files
 * being replaced.
 */
const averageBlockBytes = 860_000
const blockBytesPerByte: Readonly<Record<AddressMode, number>> = { off: 66, sample: 66, all: 27 }

/**
 * Balances of all addresses are merged with the prices known then: if prices come later, all blocks
 * must be read again.
 */
function refuseWithoutPrices(dataDir: string, { name }: Network): void {
  if (name !== 'mainnet' || storedSources(dataDir, tables.prices.kind).length > 0) return
  throw new CoinstrataError('data_not_ready', 'there are no prices, which counting every address needs first', {
    cure: 'run "coinstrata fetch" or import prices, or leave out ADDRESSES=all',
  })
}

/** Fails if the first publication does not fit on the disk. Later ones replace old generations. */
function refuseSmallDisk(dataDir: string, blockBytes: number, addresses: AddressMode): void {
  if (currentGenerationId(dataDir) !== undefined) return
  const raw = path.join(dataDir, 'raw')
  const written = existsSync(raw) ? readdirSync(raw, { recursive: true, encoding: 'utf8' }) : []
  const used = written.reduce(
    (sum, name) => sum + (statSync(path.join(raw, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const needed = blockBytes / blockBytesPerByte[addresses] - used
  const free = freeBytes(existingPart(dataDir)) ?? needed
  if (free >= needed) return
  const message = `the disk of ${dataDir} has ${formatGigabytes(free)} free, and the first publication needs about ${formatGigabytes(needed)}`
  throw new CoinstrataError('disk_full', message, {
    cure: 'free some space, or set DATA_DIR to a folder on a larger disk',
  })
}

const formatGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
