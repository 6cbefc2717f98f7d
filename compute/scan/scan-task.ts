import { CoinstrataError } from '#base/errors.ts'
import type { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import type { FileUnit } from '#ingest/chain/file-unit.ts'
import type { FileUnitReader } from '#ingest/chain/file-unit-reader.ts'
import { type NetworkName, networks } from '#ingest/chain/networks.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import type { RpcUnit } from '#ingest/chain/rpc-unit.ts'
import { type BlockTimes, Scan, type ScanResult } from './scan.ts'
import { orFailure, type WorkerFailure } from './worker-failure.ts'

export interface ScanTask {
  readonly unit: FileUnit | RpcUnit
  readonly network: NetworkName
  readonly times: BlockTimes
  /** The node that decides where the files leave a doubt. */
  readonly referee: RpcEndpoint | undefined
  /** Hold each block against its hash. What comes over RPC is, in any case. */
  readonly prove: boolean
}

/** What became of a unit. */
export type ScanOutcome =
  | {
      readonly kind: 'scanned'
      readonly tables: ScanResult
      readonly unclaimedUndo: number
      readonly bytes: number
      /** Every block was held against its hash. */
      readonly proved: boolean
      /** Blocks that are damaged in their file and came over RPC: sentences for people. */
      readonly refetched: readonly string[]
    }
  | { readonly kind: 'unproved'; readonly heights: readonly number[] }
  | WorkerFailure

/** Reads one unit of blocks and adds it up; an expected failure is an outcome, too. `files` reads one unit at a time. */
export const scanUnit = (task: ScanTask, files: FileUnitReader): Promise<ScanOutcome> =>
  orFailure(() => scan(task, files))

/** Where something is wrong, proof tells whether a block is damaged, and takes it over RPC where there is a node. */
async function scan(task: ScanTask, files: FileUnitReader): Promise<ScanOutcome> {
  try {
    const outcome = await scanOnce(task, files)
    const wanting = outcome.kind === 'unproved' && task.referee
    if (!wanting || task.prove) return outcome
  } catch (error) {
    if (task.prove || !(error instanceof CoinstrataError) || error.code !== 'block_corrupt') throw error
  }
  return scanOnce({ ...task, prove: true }, files)
}

async function scanOnce(
  { unit, network, times, referee, prove }: ScanTask,
  files: FileUnitReader,
): Promise<ScanOutcome> {
  const scan = new Scan(networks[network], times)
  const addBlock = scan.addBlock.bind(scan)
  const kind = 'scanned'
  if (unit.kind === 'rpc') {
    // Loaded where it is needed only: it takes longer to load than all the rest.
    const { readRpcUnit } = await import('#ingest/chain/rpc-unit.ts')
    const bytes = await readRpcUnit(unit, addBlock)
    return { kind, tables: scan.finish(), unclaimedUndo: 0, bytes, proved: true, refetched: [] }
  }
  const proof = prove ? { refetch: referee && blockFrom(referee) } : undefined
  const read = await files.read(unit, addBlock, referee && spentOutputsFrom(referee), proof)
  const { withoutUndo: unproved, unclaimed: unclaimedUndo, bytesRead: bytes, refetched } = read
  if (unproved.length > 0) return { kind: 'unproved', heights: unproved }
  return { kind, tables: scan.finish(), unclaimedUndo, bytes, proved: prove, refetched }
}

function spentOutputsFrom(referee: RpcEndpoint) {
  return async (height: number, hash: string, block: DecodedBlock): Promise<void> => {
    const { RpcClient } = await import('#ingest/chain/rpc.ts')
    const { readRpcBlocks } = await import('#ingest/chain/rpc-block.ts')
    for await (const _ of readRpcBlocks(new RpcClient(referee), height, [hash], block));
  }
}

function blockFrom(referee: RpcEndpoint) {
  return async (hash: string): Promise<Uint8Array> => {
    const { RpcClient } = await import('#ingest/chain/rpc.ts')
    const { fetchRawBlock } = await import('#ingest/chain/rpc-block.ts')
    return fetchRawBlock(new RpcClient(referee), hash)
  }
}
