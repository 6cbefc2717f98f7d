import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { buildHeaderChain, type HeaderChain } from '#ingest/chain/header-chain.ts'
import { type Network, networks } from '#ingest/chain/networks.ts'
import { readHeaders, readNodeState } from '#ingest/chain/node.ts'
import { hashSchema, RpcClient } from '#ingest/chain/rpc.ts'
import { describePruned, planRpcUnits, type RpcUnit } from '#ingest/chain/rpc-unit.ts'
import { publishFolder, unfinishedPath } from '#sql/files.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { type AddressMode, addressModes } from '../address-sample.ts'
import { addressStores } from '../addresses/address-stores.ts'
import {
  claimDataFolder,
  historyFile,
  refuseOtherNetwork,
  removeSavedStates,
  requireGeneration,
  segmentsFolder,
} from '../data-folder.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'
import type { NodePin } from './node-pin.ts'
import { readScannedBlocks, readScannedChain, scannedUnits } from './scanned-chain.ts'
import { chooseParts, describeFile, listPartFiles, segmentStore } from './segment-parts.ts'
import { formatVersion } from './segments.ts'
import { otherSegments, readStoredHeights } from './stored-units.ts'

/** Segments taken over from another operator. */
const historySchema = z.object({
  /** Segment format. */
  format: z.int(),
  keys: z.array(z.string()).min(1),
  tip: z.object({ height: z.int(), hash: z.string() }),
  addresses: z.enum(addressModes),
  /** Whether the remaining unspent coins were compared, one by one, with the node's. */
  isProved: z.boolean(),
})
export type History = z.infer<typeof historySchema>

/** An operator's description of the history in a store. */
interface OfferedHistory {
  readonly network: string
  readonly tip: History['tip']
  readonly format: number
  readonly addresses: string
  readonly keys: readonly string[]
}

/** `undefined` without a history, or if this version does not read its segments. */
export function readBootstrapHistory(dataDir: string): History | undefined {
  const file = historyFile(dataDir)
  const damaged = (cause: unknown): CoinstrataError =>
    new CoinstrataError('invalid_file', `${file} is damaged`, {
      cause,
      cure: 'remove it and run "coinstrata bootstrap" again, which keeps what is there',
    })
  const history = readIntactJson(file, historySchema, damaged)
  return history?.format === formatVersion ? history : undefined
}

const writeHistory = (dataDir: string, history: History): void => writeIntactJson(historyFile(dataDir), history)

/** Records that the coins of a history were compared. */
export function recordProvedHistory(dataDir: string): void {
  const history = readBootstrapHistory(dataDir)
  if (history) writeHistory(dataDir, { ...history, isProved: true })
}

/** Removes a false history and everything computed from it. */
export function discardHistory(dataDir: string): void {
  removeSavedStates(dataDir)
  for (const folder of [
    segmentsFolder(dataDir),
    path.join(rawFolder(dataDir), 'addresses'),
    path.join(rawFolder(dataDir), 'balances'),
  ]) {
    rmSync(folder, { recursive: true, force: true })
  }
  // Another history can then take its place.
  rmSync(path.join(rawFolder(dataDir), 'chain.json'), { force: true })
  // Last: if killed before, this run leaves nothing that looks like own segments.
  rmSync(historyFile(dataDir))
}

export const historyRefused = (why: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('history_refused', `the history is not true, and was removed: ${why}`, {
    cause,
    cure: 'take the history of another operator, or scan a node that has all blocks; tell the operator of the store',
  })

/**
 * Describes the scan behind the current generation, and lists its files relative to the folder
 * `raw`. Throws `data_not_ready` if blocks were scanned since.
 */
export function describeHistory(dataDir: string, counted: AddressMode) {
  const { generation } = requireGeneration(dataDir)
  const scanned = readScannedChain(dataDir)
  const scannedFor = scanned?.addresses ?? counted
  // Balances of all addresses come from merged days, which nobody could check.
  const addresses = scannedFor === 'all' ? 'off' : scannedFor
  const { parts, missing } = chooseParts(segmentStore(dataDir), scanned?.segments ?? [])
  if (scanned?.tip.hash !== generation.tip.hash || missing.length > 0) {
    throw new CoinstrataError('data_not_ready', 'the segments are not those of the newest publication', {
      cure: 'run "coinstrata update"',
    })
  }
  const { network, tip, segments: keys } = scanned
  const chain = readScannedBlocks(dataDir, scanned)
  const sets = addressStores(dataDir, addresses).flatMap((store) => store.files(chain, scannedUnits(scanned)))
  const found = [...parts.flatMap(({ folder }) => listPartFiles(folder)), ...sets.map(describeFile)]
  const files = found.map((one) => ({
    ...one,
    name: path.relative(rawFolder(dataDir), one.file).replaceAll(path.sep, '/'),
  }))
  return { description: { network, tip, format: formatVersion, addresses, keys }, files }
}

const rawFolder = (dataDir: string): string => path.join(dataDir, 'raw')

/**
 * Prepares a data folder for a history: checks that this program and the node can take it over, and
 * records that it is not proved. Returns a function that begins to place the files of a folder.
 * Requires the lock of the data folder. Throws `data_not_ready`, `rpc_unreachable`.
 */
export async function prepareHistory(settings: UpdateSettings, offered: OfferedHistory) {
  const { dataDir, network, addresses = 'off' } = settings
  const { keys, tip } = offered
  if (!existsSync(historyFile(dataDir)) && readScannedChain(dataDir)) {
    throw new CoinstrataError('data_folder_mismatch', `${dataDir} has blocks that this machine scanned`, {
      cure: 'run "coinstrata update", or give the history a data folder of its own (DATA_DIR)',
    })
  }
  refuseOtherNetwork(dataDir, network)
  if (offered.network !== network) {
    throw new CoinstrataError('data_folder_mismatch', `the history is of ${offered.network}, not of ${network}`, {
      cure: 'set BITCOIN_NETWORK (--network) to its network',
    })
  }
  if (offered.format !== formatVersion) {
    const message = `the history has format ${offered.format}, and this version reads format ${formatVersion}`
    throw new CoinstrataError('invalid_file', message, { cure: 'use the same version on both machines' })
  }
  if (offered.addresses !== addresses) {
    const message = `the history was scanned with ADDRESSES=${offered.addresses}, and the setting here is ${addresses}`
    throw new CoinstrataError('invalid_configuration', message, { cure: `set ADDRESSES=${offered.addresses}` })
  }
  await requireOnNode(settings, networks[network], tip)
  claimDataFolder(dataDir, network)
  writeHistory(dataDir, { format: formatVersion, keys: [...keys], tip, addresses, isProved: false })
  return (name: string, files: readonly Omit<ReturnType<typeof describeFile>, 'file'>[]) => {
    const target = path.join(rawFolder(dataDir), ...name.split('/'))
    if (existsSync(target)) {
      // The files may be left from another, unsigned history.
      const found = new Set(readdirSync(target).map((file) => describeFile(path.join(target, file)).sha256))
      if (files.every(({ sha256 }) => found.has(sha256))) return undefined
      rmSync(target, { recursive: true })
    }
    const unfinished = unfinishedPath(target)
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    return { unfinished, finish: () => publishFolder(unfinished, target) }
  }
}

/** Requires that a block is in the node's chain, and that the node has all later blocks. */
async function requireOnNode(settings: UpdateSettings, network: Network, tip: History['tip']): Promise<void> {
  const source = locateNode({ ...settings, source: 'rpc' })
  if (!source?.endpoint) throw new Error('a source over RPC has an endpoint')
  const client = new RpcClient(source.endpoint)
  const state = await readNodeState(client, network)
  if (state.isSnapshotUnvalidated || state.tip.height < tip.height) {
    const message = `the node has validated ${state.tip.height} blocks, and the history reaches block ${tip.height}`
    throw new CoinstrataError('data_not_ready', message, { cure: 'run it again when the node has reached that block' })
  }
  const hash = await client.call('getblockhash', [tip.height], hashSchema)
  if (hash !== tip.hash) {
    const message = `block ${tip.height} of the history is ${tip.hash}, and that of the node is ${hash}`
    throw new CoinstrataError('wrong_chain', message, {
      cure: 'if the chain was reorganised lately, wait for the next publication of the operator; otherwise take the history of another one',
    })
  }
  if (state.firstStored <= tip.height + 1) return
  const message = `${describePruned(state.firstStored)}, and the history ends with block ${tip.height}`
  throw new CoinstrataError('pruned', message, {
    cure: 'take a newer history, or set a higher "prune" so that the node keeps more blocks',
  })
}

/**
 * Reads a node's chain up to a tip and plans its units: segments on the chain that are of a history
 * or were scanned from files, and new ones for other blocks. Throws `history_refused`.
 */
export async function planOverRpc(
  dataDir: string,
  { client, endpoint, tip, firstStored }: Pick<NodePin, 'client' | 'endpoint' | 'tip' | 'firstStored'>,
): Promise<{ chain: HeaderChain; units: RpcUnit[] }> {
  const { headers, hashes } = await readHeaders(client, tip, 0)
  const chain = buildHeaderChain(headers, hashes)
  const history = readBootstrapHistory(dataDir)
  const given = await readStoredHeights(dataDir, chain, history?.keys ?? otherSegments(dataDir, 'rpc'))
  const isGiven = new Uint8Array(chain.tipHeight + 1)
  for (const height of given.flatMap((heights) => [...heights])) {
    if (isGiven[height] && history) {
      discardHistory(dataDir)
      throw historyRefused(`block ${height} is in two segments`)
    }
    isGiven[height] = 1
  }
  return { chain, units: planRpcUnits(chain, endpoint, firstStored, given) }
}
