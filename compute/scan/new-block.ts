import { CoinstrataError } from '#base/errors.ts'
import { locateSource } from '#ingest/chain/locate-source.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readNodeState } from '#ingest/chain/node.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import type { UpdateSettings } from '../update-settings.ts'
import { readScannedChain } from './scanned-chain.ts'

/**
 * Returns false if the node's newest block is the one that the last update scanned. This only asks for the tip, while an
 * update makes the node add up all unspent outputs. Returns true if the node does not answer, so that the update reports why.
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
