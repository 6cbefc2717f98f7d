import { CoinstrataError } from '#base/errors.ts'
import { locateSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readNodeState } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { UpdateSettings } from '../update-settings.ts'
import { readScannedChain } from './scanned-chain.ts'

/**
 * Whether a pass may find other blocks than the last one did. A node is only asked for its newest block, where a pass
 * would have it add up all its unspent outputs first; where it gives no answer, the pass is to find out why.
 */
export async function mayHaveNewBlock(settings: UpdateSettings): Promise<boolean> {
  const { source, network, dataDir, defaultDatadir } = settings
  if (source === 'simulated') return true
  try {
    const endpoint = locateSource({ ...settings, source }, networks[network], defaultDatadir)?.endpoint
    if (!endpoint) return true
    const { tip } = await readNodeState(new RpcClient(endpoint), networks[network])
    return tip.hash !== readScannedChain(dataDir)?.tip.hash
  } catch (error) {
    if (error instanceof CoinstrataError) return true
    throw error
  }
}
