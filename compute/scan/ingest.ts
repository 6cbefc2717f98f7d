import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { type HeaderChain, hashAt, tipHash } from '#ingest/chain/header-chain.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { type Network, refuseOtherChain } from '#ingest/chain/networks.ts'
import type { AddressMode } from '../address-sample.ts'
import type { AddressStore } from '../addresses/address-store.ts'
import { addressStores } from '../addresses/address-stores.ts'
import { claimDataFolder } from '../data-folder.ts'
import { addKnownAddresses } from '../labels/known-addresses.ts'
import type { Labels } from '../labels/label-files.ts'
import type { Progress } from '../progress.ts'
import { discardHistory, historyRefused, planOverRpc, readBootstrapHistory } from './bootstrap-history.ts'
import { ingestFiles } from './ingest-files.ts'
import { type NodePin, readNodePin } from './node-pin.ts'
import type { ReachedNode } from './preflight.ts'
import { defaultProveBytes } from './scan-unit.ts'
import { readScannedChain, type ScannedChain, writeScannedChain } from './scanned-chain.ts'
import { formatVersion } from './segments.ts'
import { otherSegments } from './stored-units.ts'
import { type ScannedUnits, type ScanUnits, withUnitScanner } from './unit-scanner.ts'

export interface IngestOptions {
  readonly dataDir: string
  readonly network: Network
  readonly source: ChainSource
  readonly node?: ReachedNode | undefined
  /** Receives notes for the user. */
  readonly notes?: string[]
  readonly progress: Progress
  /** Bytes of the newest blocks to prove, including those scanned before. */
  readonly proveBytes?: number
  /** Accept files with a shorter chain than before although no node confirms it. */
  readonly allowShorter?: boolean
  /** Default: off. */
  readonly addresses?: AddressMode
  /** Default: those of `dataDir`, which merge no balances during a scan. */
  readonly stores?: readonly AddressStore[]
  /** Addresses whose outputs are listed apart. */
  readonly labels?: Labels | undefined
  /** Known addresses for which stored segments are scanned again; default: all. */
  readonly labelLimit?: number
}

export interface Ingested {
  readonly scanned: ScannedChain
  /** Blocks read by this run. */
  readonly blocks: number
  readonly bytes: number
  /** Segments scanned from damaged files by earlier runs. */
  readonly corrected: number
}

export async function ingest(options: IngestOptions): Promise<Ingested> {
  const { dataDir, network, source, notes = [], progress, allowShorter, addresses = 'off', labels } = options
  const isUnproved = readBootstrapHistory(dataDir)?.isProved === false
  // A history is compared with all blocks that the node still has.
  const proveBytes = isUnproved ? Number.POSITIVE_INFINITY : (options.proveBytes ?? defaultProveBytes)
  const pin = await readNodePin(source, options.node, progress, notes)
  const scannerOptions = {
    ...options,
    network: network.name,
    referee: pin?.endpoint,
    proveBytes,
    addresses,
    addressStores: options.stores ?? addressStores(dataDir, addresses),
    known: addKnownAddresses(dataDir, labels),
    onProgress: progress.scanned,
  }
  let readOver: ScannedChain['source'] = network.name === 'simulated' ? 'simulated' : source.kind
  const { chain, scan } = await withUnitScanner(scannerOptions, async (scanUnits) => {
    const scanOwn: ScanUnits = (chain, units, early) => {
      const { height = Number.POSITIVE_INFINITY } = network.split ?? {}
      if (chain.tipHeight >= height) refuseOtherChain(network, displayHash(hashAt(chain, height)))
      claimDataFolder(dataDir, network.name)
      progress.part?.('scan')
      return scanUnits(chain, units, early)
    }
    if (source.kind === 'rpc') return ingestRpc(dataDir, pin, scanOwn, progress)
    try {
      return await ingestFiles(source.blocksFolder, dataDir, network, pin, scanOwn, proveBytes, notes, allowShorter)
    } catch (error) {
      // The files do not say which blocks came before them if these were scanned over RPC.
      if (!pin || readScannedChain(dataDir)?.source !== 'rpc' || !hasErrorCode(error, 'pruned')) throw error
      readOver = 'rpc'
      return ingestRpc(dataDir, pin, scanOwn, progress)
    }
  })
  const { blocks, bytes, corrected } = scan
  notes.push(...scan.refetched.map((damage) => `${damage}.`))
  if (corrected > 0) {
    notes.push(`${corrected} segments had been scanned from damaged files; they were read and proved again.`)
  }
  if (isUnproved && corrected > 0) {
    discardHistory(dataDir)
    throw historyRefused(`${corrected} of its segments differ from the blocks that the node still has`)
  }
  const scanned: ScannedChain = {
    version: 3,
    network: network.name,
    source: readOver,
    format: formatVersion,
    addresses,
    other: [...otherSegments(dataDir, readOver)],
    tip: { height: chain.tipHeight, hash: tipHash(chain) },
    work: chain.work.toString(16),
    segments: [...scan.keys],
    lastHeights: [...scan.lastHeights],
    labelled: scan.labelled,
    node: pin?.unspent ? { outputs: pin.unspent.outputs, sats: pin.unspent.sats } : null,
    notes,
  }
  progress.part?.('hashes of the chain')
  writeScannedChain(dataDir, chain, scanned)
  return { scanned, blocks, bytes, corrected }
}

async function ingestRpc(
  dataDir: string,
  pin: NodePin | undefined,
  scanUnits: ScanUnits,
  progress: Progress,
): Promise<{ chain: HeaderChain; scan: ScannedUnits }> {
  if (!pin) throw new CoinstrataError('rpc_unreachable', 'there is no node to read from', { cure: 'start the node' })
  progress.say(`reading ${pin.tip.height + 1} block headers`)
  const { chain, units } = await planOverRpc(dataDir, pin)
  return { chain, scan: await scanUnits(chain, units) }
}
