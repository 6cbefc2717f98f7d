import { CoinstrataError } from '#base/errors.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState, readTxOutSetInfo, type TxOutSetInfo } from '#ingest/chain/node.ts'
import { ForbiddenMethod, RpcClient } from '#ingest/chain/rpc.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import type { Progress } from '../progress.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'
import { describeSkipped, isSkipped, type ReachedNode } from './preflight.ts'
import { readScannedChain } from './scanned-chain.ts'

export interface NodePin {
  readonly client: RpcClient
  readonly endpoint: RpcEndpoint
  readonly tip: ChainTip
  /** First height that the node has not pruned. */
  readonly firstStored: number
  /** `undefined` if the node's sums are not of the pinned chain. */
  readonly unspent: TxOutSetInfo | undefined
}

/**
 * Asks a node for its sums of unspent outputs, and adds notes for the user to `notes`. Returns
 * `undefined` without a node, or if it stopped and its files can be read without it.
 */
export async function readNodePin(
  source: ChainSource,
  node: ReachedNode | undefined,
  progress: Progress,
  notes: string[],
): Promise<NodePin | undefined> {
  const { endpoint } = source
  if (!endpoint || !node) return undefined
  const { client, state } = node
  const { tip, firstStored } = state
  if (state.isSnapshotUnvalidated) return { client, endpoint, tip, firstStored, unspent: undefined }
  try {
    progress.say('asking the node for its total of all unspent outputs (a few minutes on mainnet)')
    const unspent = await readTxOutSetInfo(client)
    return { client, endpoint, tip: unspent.tip, firstStored, unspent }
  } catch (error) {
    if (error instanceof ForbiddenMethod && !source.isComparisonRequired) {
      notes.push(`Its totals were not compared: ${error.message}.`)
      return { client, endpoint, tip, firstStored, unspent: undefined }
    }
    if (!isSkipped(source, error)) throw error
    notes.push(describeSkipped(error))
    return undefined
  }
}

/**
 * Also true if the node does not respond, so that the update reports why. Requests only the tip.
 */
export async function mayHaveNewBlock(settings: UpdateSettings): Promise<boolean> {
  try {
    const endpoint = locateNode(settings)?.endpoint
    if (!endpoint) return true
    const { tip } = await readNodeState(new RpcClient(endpoint), networks[settings.network])
    return tip.hash !== readScannedChain(settings.dataDir)?.tip.hash
  } catch (error) {
    if (error instanceof CoinstrataError) return true
    throw error
  }
}
