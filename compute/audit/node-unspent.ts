import type { ChainSource } from '#ingest/chain/locate-source.ts'
import type { Network } from '#ingest/chain/networks.ts'
import { type ChainTip, readNodeState, readTxOutSetInfo, type TxOutSetInfo } from '#ingest/chain/node.ts'
import { RpcClient, RpcError } from '#ingest/chain/rpc.ts'
import type { Progress } from '../progress.ts'
import { isSkipped } from '../scan/preflight.ts'
import { nodeSumsAgree } from './overwritten.ts'

/** A node's sums of unspent outputs after a block, or why there are none. */
export type NodeUnspent = { readonly unspent: TxOutSetInfo } | { readonly unspent: undefined; readonly reason: string }

export async function readNodeUnspent(
  source: ChainSource | undefined,
  network: Network,
  tip: ChainTip,
  progress: Progress,
): Promise<NodeUnspent> {
  if (network.name === 'simulated') return notCompared('the chain is simulated, so no node knows it')
  if (!source?.endpoint) return notCompared('no RPC of a node is configured, and no node seems to run')
  if (!nodeSumsAgree(network, tip.height)) {
    return notCompared(`at block ${tip.height} the node may count a coinbase that was overwritten later, or may not`)
  }
  try {
    return await queryNode(new RpcClient(source.endpoint, progress.say), network, tip, progress)
  } catch (error) {
    if (!isSkipped(source, error)) throw error
    return notCompared(error.message)
  }
}

async function queryNode(client: RpcClient, network: Network, tip: ChainTip, progress: Progress): Promise<NodeUnspent> {
  const state = await readNodeState(client, network)
  if (state.isSnapshotUnvalidated) return notCompared('the node still validates the history before its snapshot')
  progress.say('asking the node for its total of all unspent outputs (a few minutes on mainnet)')
  if (state.tip.hash === tip.hash) {
    const unspent = await readTxOutSetInfo(client)
    if (unspent.tip.hash === tip.hash) return { unspent }
  }
  // The node has a newer tip. With coinstatsindex it knows the sums after every block.
  try {
    return { unspent: await readTxOutSetInfo(client, tip.hash) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return notCompared(
      `the node is at block ${state.tip.height} now (${error.message}); run "coinstrata update", which compares at ` +
        'the newest block, or let the node run with coinstatsindex=1',
    )
  }
}

const notCompared = (reason: string): NodeUnspent => ({ unspent: undefined, reason })
