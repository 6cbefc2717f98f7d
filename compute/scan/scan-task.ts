import { CoinstrataError } from '#base/errors.ts'
import type { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import type { FileUnit } from '#ingest/chain/file-unit.ts'
import type { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { type NetworkName, networks } from '#ingest/chain/networks.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import type { RpcUnit } from '#ingest/chain/rpc-unit.ts'
import type { AddressMode } from '../address-sample.ts'
import { type BlockTimes, Scan, type ScanResult } from './scan.ts'

export interface ScanTask {
  readonly unit: FileUnit | RpcUnit
  readonly network: NetworkName
  readonly times: BlockTimes
  /** Node that supplies blocks and spent outputs that are missing or damaged in the files. */
  readonly referee: RpcEndpoint | undefined
  /** Check each block against its hash. Always done over RPC. */
  readonly prove: boolean
  readonly addresses: AddressMode
  /** Addresses whose outputs are listed apart; see `createLabelTable`. */
  readonly labels?: Uint32Array | undefined
}

export type ScanOutcome =
  | ({
      readonly kind: 'scanned'
      readonly tables: ScanResult
      readonly unclaimedUndo: number
      readonly bytes: number
      readonly proved: boolean
      /** One sentence per damaged block that was read over RPC instead. */
      readonly refetched: readonly string[]
    } & ReturnType<Scan['takeAddresses']>)
  | { readonly kind: 'unproved'; readonly heights: readonly number[] }

/** Arrays with all numbers of a scan. */
export const outcomeArrays = (outcome: ScanOutcome): ArrayBufferView[] => {
  if (outcome.kind !== 'scanned') return []
  const { tables, labelEvents, activeSets, packedEvents } = outcome
  return [...Object.values(tables), labelEvents ?? {}, { activeSets, packedEvents }]
    .flatMap((table) => Object.values<ArrayBufferView | readonly string[] | undefined>(table))
    .filter((column) => ArrayBuffer.isView(column))
}

/**
 * Reads and scans one unit. After a failure, scans again with proof, which finds damaged blocks and
 * reads them over RPC if there is a node. `files` reads one unit at a time.
 */
export async function scanUnit(task: ScanTask, files: FileUnitReader): Promise<ScanOutcome> {
  try {
    const outcome = await scanOnce(task, files)
    const canRefetch = outcome.kind === 'unproved' && task.referee
    if (!canRefetch || task.prove) return outcome
  } catch (error) {
    if (task.prove || !(error instanceof CoinstrataError) || error.code !== 'block_corrupt') throw error
  }
  return scanOnce({ ...task, prove: true }, files)
}

async function scanOnce(
  { unit, network, times, referee, prove, addresses, labels }: ScanTask,
  files: FileUnitReader,
): Promise<ScanOutcome> {
  const scan = new Scan(networks[network], times, addresses, labels)
  const finish = () => ({ tables: scan.finish(), ...scan.takeAddresses() })
  const addBlock = scan.addBlock.bind(scan)
  const kind = 'scanned'
  if (unit.kind === 'rpc') {
    // Loaded on demand: takes longer than all other modules together.
    const { readRpcUnit } = await import('#ingest/chain/rpc-unit.ts')
    const bytes = await readRpcUnit(unit, addBlock)
    return { kind, ...finish(), unclaimedUndo: 0, bytes, proved: true, refetched: [] }
  }
  files.hasIdentities = addresses !== 'off' || labels !== undefined
  const proof = prove ? { refetch: referee && blockFrom(referee) } : undefined
  const read = await files.read(unit, addBlock, referee && spentOutputsFrom(referee), proof)
  const { withoutUndo: unproved, unclaimed: unclaimedUndo, bytesRead: bytes, refetched } = read
  if (unproved.length > 0) return { kind: 'unproved', heights: unproved }
  return { kind, ...finish(), unclaimedUndo, bytes, proved: prove, refetched }
}

function spentOutputsFrom(referee: RpcEndpoint) {
  return async (height: number, hash: string, block: DecodedBlock): Promise<void> => {
    const { RpcClient } = await import('#ingest/chain/rpc.ts')
    const { readRpcBlocks } = await import('#ingest/chain/rpc-block.ts')
    for await (const _ of readRpcBlocks(new RpcClient(referee), [height], [hash], block));
  }
}

function blockFrom(referee: RpcEndpoint) {
  return async (hash: string): Promise<Uint8Array> => {
    const { RpcClient } = await import('#ingest/chain/rpc.ts')
    const { fetchRawBlock } = await import('#ingest/chain/rpc-block.ts')
    return fetchRawBlock(new RpcClient(referee), hash)
  }
}
