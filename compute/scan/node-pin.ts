import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { buildHeaderChain } from '#ingest/chain/header-chain.ts'
import type { ChainSource } from '#ingest/chain/locate-source.ts'
import { type Network, networks } from '#ingest/chain/networks.ts'
import { type ChainTip, readHeaders, readNodeState, readTxOutSetInfo, type TxOutSetInfo } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import type { Progress } from '../progress.ts'
import { locateNode, type UpdateSettings } from '../update-settings.ts'
import { readScannedChain } from './scanned-chain.ts'

export interface NodePin {
  readonly client: RpcClient
  readonly endpoint: RpcEndpoint
  readonly tip: ChainTip
  /** Height of the first block that the node has not pruned. */
  readonly firstStored: number
  /** `undefined` if the node's sums are not those of the pinned chain. */
  readonly unspent: TxOutSetInfo | undefined
}

/**
 * Asks the node of a source for its tip and its sums of unspent outputs, and adds notes for the user to `notes`. Returns
 * `undefined` if the source has no node, or if the node does not run but its files can be read without it.
 */
export async function readNodePin(
  source: ChainSource,
  network: Network,
  progress: Progress,
  notes: string[],
): Promise<NodePin | undefined> {
  const { endpoint } = source
  if (!endpoint) {
    if (network.name !== 'simulated')
      notes.push(
        'The node was not asked for its totals: it does not run, its RPC is not known, or the settings turn it off.',
      )
    return undefined
  }
  const client = new RpcClient(endpoint, progress.say)
  try {
    const state = await readNodeState(client, network)
    const { firstStored } = state
    if (state.initialBlockDownload) {
      const { headers, hashes } = await readHeaders(client, state.tip, state.tip.height)
      const [day] = buildHeaderChain(headers, hashes).days
      notes.push(`The node is still syncing: its newest block, ${state.tip.height}, is from ${isoDate(day!)}.`)
    }
    if (state.isSnapshotUnvalidated) {
      if (source.isComparisonRequired) throw notComparable()
      notes.push('The node still validates the history before its snapshot, so its unspent outputs were not compared.')
      return { client, endpoint, tip: state.tip, firstStored, unspent: undefined }
    }
    progress.say('asking the node for its total of all unspent outputs (a few minutes on mainnet)')
    const unspent = await readTxOutSetInfo(client)
    return { client, endpoint, tip: unspent.tip, firstStored, unspent }
  } catch (error) {
    const optional = source.kind === 'files' && !source.isEndpointRequired
    if (!optional || !(error instanceof CoinstrataError) || error.code !== 'rpc_unreachable') throw error
    notes.push(`The node was not asked: ${error.message}.`)
    return undefined
  }
}

const notComparable = (): CoinstrataError =>
  new CoinstrataError(
    'rpc_failed',
    'the node still validates the history before its snapshot, so nothing can be compared',
    {
      cure: 'wait until it has finished, or leave out --require-node',
    },
  )

/** Returns true also if the node does not answer, so that the update reports why. Asks for the tip only. */
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
