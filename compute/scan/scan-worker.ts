import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { type FileUnit, FileUnitReader } from '#ingest/chain/file-unit.ts'
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
}

/** What became of a unit. */
export type ScanOutcome =
  | { readonly kind: 'scanned'; readonly tables: ScanResult; readonly unclaimedUndo: number; readonly bytes: number }
  | { readonly kind: 'unproved'; readonly heights: readonly number[] }
  | WorkerFailure

/** Lives as long as the worker, which is given one unit at a time. */
const fileUnits = new FileUnitReader()

/** Entry point of a scan worker thread: reads one unit of blocks and adds it up. */
export default function scanUnit(task: ScanTask): Promise<unknown> {
  return orFailure(() => scan(task))
}

async function scan({ unit, network, times, referee }: ScanTask): Promise<unknown> {
  const scan = new Scan(networks[network], times)
  const addBlock = scan.addBlock.bind(scan)
  if (unit.kind === 'rpc') {
    // Loaded where it is needed only: it takes longer to load than all the rest.
    const { readRpcUnit } = await import('#ingest/chain/rpc-unit.ts')
    const bytes = await readRpcUnit(unit, addBlock)
    return withoutCopy({ kind: 'scanned', tables: scan.finish(), unclaimedUndo: 0, bytes })
  }
  const { unproved, unclaimed, bytesRead } = await fileUnits.read(unit, addBlock, referee && spentOutputsFrom(referee))
  if (unproved.length > 0) return { kind: 'unproved', heights: unproved } satisfies ScanOutcome
  return withoutCopy({ kind: 'scanned', tables: scan.finish(), unclaimedUndo: unclaimed, bytes: bytesRead })
}

function spentOutputsFrom(referee: RpcEndpoint) {
  return async (height: number, hash: string, block: DecodedBlock): Promise<void> => {
    const { RpcClient } = await import('#ingest/chain/rpc.ts')
    const { readRpcBlocks } = await import('#ingest/chain/rpc-block.ts')
    for await (const _ of readRpcBlocks(new RpcClient(referee), height, [hash], block));
  }
}

/** Hands the arrays of an outcome to the main thread instead of copying them. */
function withoutCopy(outcome: ScanOutcome & { kind: 'scanned' }): unknown {
  const arrays = Object.values(outcome.tables).flatMap((table) => Object.values<Float64Array>(table))
  return move({ [transferableSymbol]: arrays.map(({ buffer }) => buffer), [valueSymbol]: outcome })
}
